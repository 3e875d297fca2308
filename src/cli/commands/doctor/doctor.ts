import type { Command } from 'commander';
import type { Query } from '../../api/api.ts';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { act, addCommand } from '../command.ts';
import { type Finding, type Fix, renderFindings, renderFixes } from './findings.ts';

interface DoctorOptions {
  tenant?: string;
  waba?: string;
  check?: string;
  fix?: boolean;
  all?: boolean;
  strict?: boolean;
}

export function registerDoctor(program: Command): void {
  addCommand(program, 'doctor', 'check the deployment end to end, and repair what can be repaired safely', [
    'fairway doctor',
    'fairway doctor --fix',
    'fairway doctor --check waba-subscription --json',
  ])
    .option('--fix', 'repair the repairable findings, then check again')
    .option('--all', 'show passed and skipped checks too')
    .option('--strict', 'exit code 7 for warnings too')
    .option('--tenant <id>', 'only this tenant and the deployment')
    .option('--waba <id>', 'only this business account and the deployment')
    .option('--check <id>', 'only this check')
    .action(act(runDoctor));
}

async function runDoctor(cli: Cli, options: DoctorOptions): Promise<void> {
  const { tenant: organization_id, waba: waba_id, check } = options;
  const query: Query = { organization_id, waba_id, check };
  const api = await cli.operator();
  const repaired = options.fix
    ? await api.post<{ fixes: Fix[] }>('/admin/v1/doctor/fixes', undefined, { query })
    : undefined;
  const { findings } = await api.get<{ findings: Finding[] }>('/admin/v1/doctor', query);
  await cli.out.result({ ...repaired, findings }, () =>
    [
      ...(repaired === undefined ? [] : [renderFixes(repaired.fixes)]),
      renderFindings(findings, options.all === true, options.fix === true),
    ].join('\n\n'),
  );
  const faults = findings.filter(
    ({ status }) => status === 'failed' || (options.strict === true && status === 'warning'),
  ).length;
  if (faults > 0)
    throw new CliError(EXIT.unmet, faults === 1 ? 'The doctor found a fault.' : `The doctor found ${faults} faults.`);
}
