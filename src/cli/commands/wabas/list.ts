import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderTable } from '../../terminal/table.ts';
import { act, addCommand } from '../command.ts';
import { listWabas, webhooksOf } from './waba.ts';

export function registerWabasList(wabas: Command): void {
  addCommand(wabas, 'list', 'list the business accounts of one tenant or of all', [
    'fairway wabas list',
    'fairway wabas list --tenant 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
  ])
    .option('--tenant <id>', 'only of this tenant')
    .action(act(showWabas));
}

async function showWabas(cli: Cli, { tenant }: { tenant?: string }): Promise<void> {
  const rows = await listWabas(await cli.operator(), tenant);
  await cli.out.result({ data: rows }, () => {
    if (rows.length === 0) return 'No business account is connected.';
    return renderTable(
      [
        { title: 'ID', text: (row) => row.waba_id },
        { title: 'WEBHOOKS', text: webhooksOf, style: (row) => (webhooksOf(row) === 'subscribed' ? 'green' : 'red') },
        {
          title: 'NUMBERS',
          text: (row) => row.numbers.map((number) => number.phone_number_id).join(', '),
          wraps: true,
        },
        { title: 'APP', text: (row) => row.app_id },
        { title: 'TENANT', text: (row) => row.organization_id, wraps: true },
      ],
      rows,
    );
  });
}
