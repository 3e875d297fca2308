import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderTable } from '../../terminal/table.ts';
import { act, addCommand } from '../command.ts';
import { listWabas } from '../wabas/waba.ts';
import { stateOf } from './change-number.ts';

export function registerNumbersList(numbers: Command): void {
  addCommand(numbers, 'list', 'list the numbers of one tenant or of all', [
    'fairway numbers list',
    'fairway numbers list --tenant 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
  ])
    .option('--tenant <id>', 'only of this tenant')
    .action(act(listNumbers));
}

async function listNumbers(cli: Cli, { tenant }: { tenant?: string }): Promise<void> {
  const wabas = await listWabas(await cli.operator(), tenant);
  const rows = wabas.flatMap(({ organization_id, waba_id, numbers }) =>
    numbers.map((number) => ({ organization_id, waba_id, ...number })),
  );
  await cli.out.result({ data: rows }, () => {
    if (rows.length === 0) return 'No number is connected.';
    return renderTable(
      [
        { title: 'ID', text: (row) => row.phone_number_id },
        { title: 'NUMBER', text: (row) => `+${row.phone_number}` },
        { title: 'STATE', text: stateOf, style: (row) => (stateOf(row) === 'sends' ? 'green' : 'yellow'), wraps: true },
        { title: 'WABA', text: (row) => row.waba_id },
        { title: 'TENANT', text: (row) => row.organization_id, wraps: true },
      ],
      rows,
    );
  });
}
