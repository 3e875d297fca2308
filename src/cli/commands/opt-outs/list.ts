import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderTable } from '../../terminal/table.ts';
import { readCount } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { type OptOut, personOf } from './opt-out.ts';

interface ListOptions {
  number?: string;
  person?: string;
  limit: number;
}

const PAGE_MAX = 200;

export function registerOptOutsList(optOuts: Command): void {
  addCommand(optOuts, 'list', 'list people who want no marketing, newest first', [
    'fairway opt-outs list --person +12025550123',
    "fairway opt-outs list --json --limit 10000 | jq -r '.data[].person'",
  ])
    .option('--number <id>', 'opt-outs from this number')
    .option('--person <name>', 'opt-outs of this person: a phone number or a user id')
    .option('--limit <count>', 'highest number of opt-outs', readCount, 100)
    .action(act(listOptOuts));
}

async function listOptOuts(cli: Cli, { number, person, limit }: ListOptions): Promise<void> {
  const query = { number, person, limit: Math.min(limit, PAGE_MAX) };
  const rows: OptOut[] = [];
  for await (const row of (await cli.tenant()).list<OptOut>('/v1/opt-outs', query)) if (rows.push(row) >= limit) break;
  await cli.out.result({ data: rows }, () => {
    if (rows.length === 0) return 'No opt-outs.';
    return renderTable(
      [
        { title: 'PERSON', text: personOf },
        { title: 'NUMBER', text: (row) => row.phone_number_id },
        { title: 'SOURCE', text: (row) => row.source },
        { title: 'SINCE', text: (row) => row.opted_out_at },
        { title: 'ID', text: (row) => row.id },
      ],
      rows,
    );
  });
}
