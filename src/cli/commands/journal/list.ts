import type { Command } from 'commander';
import type { Api, Query } from '../../api/api.ts';
import type { Cli } from '../../cli.ts';
import { renderTable } from '../../terminal/table.ts';
import { ago } from '../../terminal/times.ts';
import { readCount, readMoment } from '../arguments.ts';
import { act, addCommand } from '../command.ts';

interface ListOptions {
  limit: number;
  since?: string;
  until?: string;
  failed?: boolean;
}

interface Entry {
  id: number;
  received_at: string;
  pending: boolean;
  failure: string | null;
  payload?: { entry?: { id?: string; changes?: { field?: string }[] }[] };
}

const PAGE_MAX = 200;

export function registerJournalList(journal: Command): void {
  addCommand(journal, 'list', "list the platform's webhooks as received, oldest first", [
    'fairway journal list --since 1h',
    'fairway journal list --failed --json | jq .data[].payload',
  ])
    .option('--limit <count>', 'highest number of webhooks', readCount, 20)
    .option('--since <time>', 'received then or later: ISO 8601, or a time ago such as 2h', readMoment)
    .option('--until <time>', 'received before', readMoment)
    .option('--failed', 'only webhooks that could not be applied')
    .action(act(listJournal));
}

async function listJournal(cli: Cli, { limit, since, until, failed }: ListOptions): Promise<void> {
  const api = await cli.operator();
  const rows: Entry[] = [];
  const pageMax = failed === true ? PAGE_MAX : Math.min(limit, PAGE_MAX);
  for await (const entry of readJournal(api, { from: since, to: until, limit: pageMax })) {
    if (failed === true && entry.failure === null) continue;
    if (rows.push(entry) >= limit) break;
  }
  await cli.out.result({ data: rows }, () => {
    if (rows.length === 0) return 'No webhooks.';
    return renderTable(
      [
        { title: 'ID', text: ({ id }) => id },
        { title: 'RECEIVED', text: (row) => ago(row.received_at) },
        { title: 'STATE', text: stateOf, style: (row) => (row.failure === null ? 'green' : 'red') },
        { title: 'FIELDS', text: fieldsOf, wraps: true },
        { title: 'WABA', text: (row) => row.payload?.entry?.[0]?.id },
        { title: 'FAILURE', text: (row) => row.failure, wraps: true },
      ],
      rows,
    );
  });
}

/** Reads the journal page by page; its last page is empty. */
async function* readJournal(api: Api, query: Query): AsyncGenerator<Entry> {
  for (let after: string | undefined; ; ) {
    const page: { data: Entry[]; next: string } = await api.get('/admin/v1/upstream-journal', { ...query, after });
    if (page.data.length === 0) return;
    yield* page.data;
    after = page.next;
  }
}

function stateOf({ pending, failure }: Entry): string {
  if (failure !== null) return 'failed';
  return pending ? 'pending' : 'applied';
}

function fieldsOf({ payload }: Entry): string {
  const fields = payload?.entry?.flatMap(({ changes = [] }) => changes.map(({ field }) => field ?? '-')) ?? [];
  return [...new Set(fields)].join(', ') || '-';
}
