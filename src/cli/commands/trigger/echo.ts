import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderFields } from '../../terminal/table.ts';
import { act, addCommand } from '../command.ts';
import {
  type Delivery,
  describeDelivery,
  numberOf,
  simulatorOf,
  type TriggerOptions,
  withNumber,
} from './simulator.ts';

export function registerTriggerEcho(trigger: Command): void {
  const command = addCommand(trigger, 'echo <text>', 'write from the business app of a number of the simulator', [
    "fairway trigger echo --to +12025550123 'We are closed today'",
  ]);
  withNumber(command).requiredOption('--to <person>', 'phone number or user id of the person').action(act(writeEcho));
}

async function writeEcho(cli: Cli, text: string, options: TriggerOptions & { to: string }): Promise<void> {
  const simulator = await simulatorOf(cli, options);
  const { wamid, delivery } = await simulator.post<{ wamid: string; delivery: Delivery }>('/echoes', {
    phone_number_id: await numberOf(cli, options),
    to: options.to,
    by: 'app',
    type: 'text',
    content: { body: text },
  });
  await cli.out.result({ wamid, delivery }, () =>
    renderFields([
      ['wamid', wamid],
      ['webhook', describeDelivery(delivery)],
    ]),
  );
}
