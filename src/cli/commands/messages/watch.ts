import type { Command } from 'commander';
import { readFeed } from '../../api/read-feed.ts';
import type { Cli } from '../../cli.ts';
import { styled } from '../../terminal/output.ts';
import { clockTime } from '../../terminal/times.ts';
import { act, addCommand } from '../command.ts';
import { type FeedEvent, personOf, statusStyle } from './message.ts';

export function registerMessagesWatch(messages: Command): void {
  addCommand(messages, 'watch', 'show messages and their statuses as they change, until Ctrl-C', [
    'fairway messages watch',
    'fairway messages watch --json | jq .data.status',
  ]).action(act(watchMessages));
}

async function watchMessages(cli: Cli): Promise<void> {
  const api = await cli.tenant();
  const feed = await readFeed<FeedEvent>(api);
  cli.out.note('Watching. Ctrl-C ends.');
  for await (const event of feed) if (event.type.startsWith('message.')) cli.out.item(event, () => lineOf(event));
}

function lineOf({ type, timestamp, data }: FeedEvent): string {
  const status = data.status ?? type.slice('message.'.length);
  return [
    styled('dim', clockTime(timestamp)),
    styled(statusStyle(status), status.padEnd(9)),
    styled('reset', (personOf(data) ?? '-').padEnd(16)),
    styled('reset', data.template_name ?? data.message_type ?? ''),
    styled('dim', data.id ?? ''),
    ...(data.error_code ? [styled('red', `${data.error_code} ${data.error_message ?? ''}`)] : []),
  ].join('  ');
}
