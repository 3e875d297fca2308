import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { safeJson, safeText } from '../../terminal/safe-text.ts';
import { act, addCommand } from '../command.ts';
import { AUDIT_PATH, addChangeOptions, type Change, type ChangeOptions, queryOf } from './change.ts';
import { CSV_HEAD, csvRowOf } from './csv.ts';

const PAGE_MAX = 200;

export function registerAuditExport(audit: Command): void {
  const command = addCommand(audit, 'export', 'write all matching changes to standard output, newest first', [
    'fairway audit export --tenant 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 > changes.ndjson',
    'fairway audit export --format csv --from 2026-11-01T00:00:00Z > changes.csv',
  ]);
  addChangeOptions(command)
    .option('--format <format>', 'ndjson (a JSON object a line) or csv', 'ndjson')
    .action(act(exportChanges));
}

async function exportChanges(cli: Cli, options: ChangeOptions & { format: string }): Promise<void> {
  const { format } = options;
  if (format !== 'ndjson' && format !== 'csv') throw new CliError(EXIT.usage, '--format must be ndjson or csv.');
  const api = await cli.operator();
  if (format === 'csv' && !cli.out.isJson) process.stdout.write(`${CSV_HEAD}\n`);
  for await (const change of api.list<Change>(AUDIT_PATH, { ...queryOf(options), limit: PAGE_MAX }))
    cli.out.item(change, () => (format === 'csv' ? safeText(csvRowOf(change)) : safeJson(change)));
}
