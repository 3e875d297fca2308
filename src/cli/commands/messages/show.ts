import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderFields } from '../../terminal/table.ts';
import { ago } from '../../terminal/times.ts';
import { act, addCommand } from '../command.ts';
import { type Message, personOf } from './message.ts';

export function registerMessagesShow(messages: Command): void {
  addCommand(messages, 'show <id>', 'show one message', [
    'fairway messages show 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
  ]).action(act(showMessage));
}

async function showMessage(cli: Cli, id: string): Promise<void> {
  const message = await (await cli.tenant()).get<Message>(`/v1/messages/${encodeURIComponent(id)}`);
  await cli.out.result(message, () =>
    renderFields([
      ['id', message.id],
      ['status', message.status],
      ['direction', message.direction],
      ['person', personOf(message)],
      ['type', message.message_type],
      ['template', message.template_name],
      ['platform id', message.message_id],
      ['created', ago(message.created_at)],
      ['sent', ago(message.sent_at)],
      ['delivered', ago(message.delivered_at)],
      ['read', ago(message.read_at)],
      ['error', message.status === 'failed' ? `${message.error_code} ${message.error_message ?? ''}` : undefined],
    ]),
  );
}
