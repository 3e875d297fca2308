import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderFields } from '../../terminal/table.ts';
import { readCount } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { numberOf, simulatorOf, type TriggerOptions, withNumber, withSimulator } from './simulator.ts';

interface FaultOptions extends TriggerOptions {
  code?: number;
  delay?: number;
  times?: number;
  to?: string;
  everywhere?: boolean;
}

export function registerTriggerFault(trigger: Command): void {
  const command = addCommand(trigger, 'fault <kind>', 'let the simulator fail from now on', [
    'fairway trigger fault error --code 131016 --times 3',
    'fairway trigger fault webhook_late --delay 5000 --to +12025550123',
  ]);
  withNumber(command)
    .option('--code <code>', "code of the platform's error", readCount)
    .option('--delay <ms>', 'delay of a slow answer or a late webhook', readCount)
    .option('--times <count>', 'number of times; without it, until `fairway trigger recover`', readCount)
    .option('--to <person>', 'only for messages to this phone number')
    .option('--everywhere', 'for all numbers')
    .action(act(addFault));
}

async function addFault(cli: Cli, kind: string, options: FaultOptions): Promise<void> {
  const simulator = await simulatorOf(cli, options);
  const fault = await simulator.post<{ id: number }>('/faults', {
    kind,
    code: options.code,
    delay_ms: options.delay,
    times: options.times,
    scope: {
      recipient: options.to,
      ...(options.everywhere !== true && { phone_number_id: await numberOf(cli, options) }),
    },
  });
  await cli.out.result(fault, () =>
    renderFields([
      ['fault', kind],
      [
        'ends',
        options.times === undefined
          ? 'with `fairway trigger recover`'
          : options.times === 1
            ? 'after one time'
            : `after ${options.times} times`,
      ],
    ]),
  );
}

export function registerTriggerRecover(trigger: Command): void {
  const command = addCommand(trigger, 'recover', 'end all faults of the simulator', ['fairway trigger recover']);
  withSimulator(command).action(act(recover));
}

async function recover(cli: Cli, options: TriggerOptions): Promise<void> {
  const simulator = await simulatorOf(cli, options);
  const { data } = await simulator.get<{ data: object[] }>('/faults');
  await simulator.request('DELETE', '/faults');
  await cli.out.result({ ended: data.length }, () => `Ended ${data.length} ${data.length === 1 ? 'fault' : 'faults'}.`);
}
