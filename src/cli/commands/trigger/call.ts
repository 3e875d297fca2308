import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderFields } from '../../terminal/table.ts';
import { act, addCommand } from '../command.ts';
import { numberOf, simulatorOf, type TriggerOptions, withNumber } from './simulator.ts';

interface CallOptions extends TriggerOptions {
  from: string;
  answered?: boolean;
}

export function registerTriggerCall(trigger: Command): void {
  const command = addCommand(trigger, 'call', 'let a person call a number of the simulator', [
    'fairway trigger call --from +12025550123 --answered',
  ]);
  withNumber(command)
    .requiredOption('--from <person>', 'phone number or user id of the person')
    .option('--answered', 'the business takes the call')
    .action(act(call));
}

async function call(cli: Cli, options: CallOptions): Promise<void> {
  const simulator = await simulatorOf(cli, options);
  const answer = await simulator.post<{ id: string }>('/calls', {
    phone_number_id: await numberOf(cli, options),
    user: options.from,
    by: 'user',
    answered: options.answered === true,
  });
  await cli.out.result(answer, () => renderFields([['call', answer.id]]));
}
