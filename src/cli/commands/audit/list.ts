import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderTable } from '../../terminal/table.ts';
import { act, addCommand } from '../command.ts';
import {
  AUDIT_PATH,
  addChangeOptions,
  addLimit,
  type Change,
  type ChangeOptions,
  differencesOf,
  queryOf,
} from './change.ts';

const PAGE_MAX = 200;

export function registerAuditList(audit: Command): void {
  const command = addCommand(audit, 'list', 'list changes made through the API, newest first', [
    'fairway audit list --tenant 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
    'fairway audit list --operation updateNumber --from 2026-11-01T00:00:00Z --json',
  ]);
  addLimit(addChangeOptions(command), 50).action(act(listChanges));
}

async function listChanges(cli: Cli, options: ChangeOptions & { limit: number }): Promise<void> {
  const api = await cli.operator();
  const rows: Change[] = [];
  const query = { ...queryOf(options), limit: Math.min(options.limit, PAGE_MAX) };
  for await (const change of api.list<Change>(AUDIT_PATH, query)) {
    rows.push(change);
    if (rows.length === options.limit) break;
  }
  await cli.out.result({ data: rows }, () => {
    if (rows.length === 0) return 'No changes.';
    return renderTable(
      [
        { title: 'AT', text: ({ at }) => at },
        { title: 'BY', text: ({ actor }) => actor.name ?? actor.id ?? actor.type, wraps: true },
        { title: 'FROM', text: ({ address }) => address },
        { title: 'OPERATION', text: ({ operation }) => operation },
        {
          title: 'OBJECT',
          text: ({ object }) => (object === null ? null : `${object.type} ${object.id}`),
          wraps: true,
        },
        { title: 'STATUS', text: ({ http_status: status }) => (status === null ? 'unknown' : String(status)) },
        { title: 'CHANGED', text: (change) => differencesOf(change).join(', '), wraps: true },
      ],
      rows,
    );
  });
}
