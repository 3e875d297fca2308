import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { readCount } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { type Queue, renderQueue } from './queue-table.ts';
import { watchQueue } from './watch-queue.ts';

interface QueueOptions {
  tenant?: string;
  number?: string;
  watch?: boolean;
  interval: number;
}

export function registerQueue(program: Command): void {
  addCommand(program, 'queue', 'show the waiting messages of each number, and why they wait', [
    'fairway queue',
    'fairway queue --watch',
    'fairway queue --watch --json | jq .numbers',
  ])
    .option('--watch', 'redraw the table until Ctrl-C; with --json one line for each state')
    .option('--interval <seconds>', 'time between two states of --watch', readCount, 2)
    .option('--tenant <id>', 'only numbers of this tenant')
    .option('--number <id>', 'only this number')
    .action(act(showQueue));
}

async function showQueue(cli: Cli, { tenant, number, watch, interval }: QueueOptions): Promise<void> {
  const api = await cli.operator();
  const read = () =>
    api.get<Queue>('/admin/v1/queue', { organization_id: tenant, phone_number_id: number, limit: 5_000 });
  if (watch === true) return watchQueue(cli, read, interval);
  const queue = await read();
  await cli.out.result(queue, () => renderQueue(queue));
}
