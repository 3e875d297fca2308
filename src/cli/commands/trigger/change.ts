import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderFields } from '../../terminal/table.ts';
import { act, addCommand } from '../command.ts';
import {
  type Delivery,
  describeDelivery,
  readJsonObject,
  simulatorOf,
  type TriggerOptions,
  withSimulator,
} from './simulator.ts';

export function registerTriggerChange(trigger: Command): void {
  const command = addCommand(trigger, 'change <field> <value>', 'post a change of any webhook field', [
    'fairway trigger change account_update \'{"event": "ACCOUNT_RESTRICTION"}\' --waba 100000000000001',
  ]);
  withSimulator(command).requiredOption('--waba <id>', 'ID of the business account').action(act(postChange));
}

async function postChange(
  cli: Cli,
  field: string,
  value: string,
  options: TriggerOptions & { waba: string },
): Promise<void> {
  const simulator = await simulatorOf(cli, options);
  const { delivery } = await simulator.post<{ delivery: Delivery }>('/announce', {
    waba_id: options.waba,
    field,
    value: readJsonObject(value, 'The value'),
  });
  await cli.out.result({ field, delivery }, () => renderFields([['webhook', describeDelivery(delivery)]]));
}
