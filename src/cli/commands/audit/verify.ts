import type { Command } from 'commander';
import type { Api } from '../../api/api.ts';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { renderTable } from '../../terminal/table.ts';
import { act, addCommand } from '../command.ts';
import { AUDIT_PATH } from './change.ts';

/** The verdict about a chain. */
interface Verdict {
  organization_id: string | null;
  intact: boolean;
  rows: number;
  head: { sequence: number; digest: string } | null;
  problem: { sequence: number; reason: string } | null;
}

interface VerifyOptions {
  tenant?: string;
  head?: string;
}

const NO_TENANT = 'none';

export function registerAuditVerify(audit: Command): void {
  addCommand(audit, 'verify', 'check that no row of the audit log was changed or removed', [
    'fairway audit verify',
    'fairway audit verify --tenant 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --head 34:4f3b1c…',
  ])
    .option('--tenant <id>', 'only the chain of this tenant; "none" for changes that belong to no tenant')
    .option('--head <sequence:digest>', 'a head that an earlier check printed, which the chain must still contain')
    .action(act(verify));
}

async function verify(cli: Cli, { tenant, head }: VerifyOptions): Promise<void> {
  if (head !== undefined && tenant === undefined) throw new CliError(EXIT.usage, '--head needs --tenant.');
  const [sequence, digest] = head?.split(':') ?? [];
  const api = await cli.operator();
  const verdicts: Verdict[] = [];
  for (const id of tenant === undefined ? await listChains(api) : [tenant])
    verdicts.push(await api.get<Verdict>(`${AUDIT_PATH}/verification`, { organization_id: id, sequence, digest }));
  await cli.out.result({ data: verdicts }, () =>
    renderTable(
      [
        { title: 'TENANT', text: (one) => one.organization_id ?? NO_TENANT },
        { title: 'ROWS', text: ({ rows }) => String(rows) },
        {
          title: 'HEAD',
          text: (one) => (one.head === null ? null : `${one.head.sequence}:${one.head.digest}`),
          wraps: true,
        },
        {
          title: 'VERDICT',
          text: ({ problem }) => (problem === null ? 'intact' : `row ${problem.sequence}: ${problem.reason}`),
          wraps: true,
        },
      ],
      verdicts,
    ),
  );
  const wrong = verdicts.filter(({ intact }) => !intact).length;
  if (wrong > 0) throw new CliError(EXIT.unmet, `${wrong} of ${verdicts.length} chains are not intact.`);
}

/** Returns the chain of the deployment, then those of all tenants. */
async function listChains(api: Api): Promise<string[]> {
  const chains = [NO_TENANT];
  for await (const { id } of api.list<{ id: string }>('/admin/v1/organizations', { limit: 100 })) chains.push(id);
  return chains;
}
