import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderFields } from '../../terminal/table.ts';
import { act, addCommand } from '../command.ts';
import {
  type Delivery,
  describeDelivery,
  numberOf,
  readJsonObject,
  simulatorOf,
  type TriggerOptions,
  withNumber,
} from './simulator.ts';

interface MessageOptions extends TriggerOptions {
  from: string;
  type: string;
  content?: string;
  hidePhone?: boolean;
}

export function registerTriggerMessage(trigger: Command): void {
  const command = addCommand(trigger, 'message [text]', 'let a person write to a number of the simulator', [
    "fairway trigger message --from +12025550123 'Where is my order?'",
    'fairway trigger message --from +12025550123 --type location --content \'{"latitude": 52.5, "longitude": 13.4}\'',
  ]);
  withNumber(command)
    .requiredOption('--from <person>', 'phone number or user id of the person')
    .option('--type <type>', 'type of the message', 'text')
    .option('--content <json>', 'contents of another type; default: a sample')
    .option('--hide-phone', 'show only the user id of the person')
    .action(act(writeMessage));
}

async function writeMessage(cli: Cli, text: string | undefined, options: MessageOptions): Promise<void> {
  const simulator = await simulatorOf(cli, options);
  const { wamid, delivery } = await simulator.post<{ wamid: string; delivery: Delivery }>('/inbound', {
    phone_number_id: await numberOf(cli, options),
    from: options.from,
    type: options.type,
    text,
    ...(options.content !== undefined && { content: readJsonObject(options.content, '--content') }),
    hides_phone: options.hidePhone,
  });
  await cli.out.result({ wamid, delivery }, () =>
    renderFields([
      ['wamid', wamid],
      ['webhook', describeDelivery(delivery)],
    ]),
  );
}
