import type { Command } from 'commander';
import { followFeed } from '../../api/follow-feed.ts';
import { readNewestCursor } from '../../api/read-feed.ts';
import type { Cli } from '../../cli.ts';
import { act, addCommand } from '../command.ts';
import type { FeedEvent } from '../messages/message.ts';
import { lineOfEvent } from './event-line.ts';

interface TailOptions {
  after?: string;
  type?: string;
  number?: string;
}

export function registerEventsTail(events: Command): void {
  addCommand(events, 'tail', 'show events as they come, until Ctrl-C', [
    'fairway events tail',
    'fairway events tail --type message.received --json | jq .data',
  ])
    .option('--after <cursor>', 'begin after this cursor instead of now')
    .option('--type <types>', 'only events of these types, separated by commas')
    .option('--number <id>', 'only events of this number')
    .action(act(tailEvents));
}

async function tailEvents(cli: Cli, { after, type, number }: TailOptions): Promise<void> {
  const filter = { type, number };
  const api = await cli.tenant();
  const start = after ?? (await readNewestCursor(api, filter));
  cli.out.note(`Cursor: ${start}. Ctrl-C ends.`);
  const note = (text: string) => cli.out.note(text);
  for await (const { data } of followFeed<FeedEvent>(api, start, filter, cli.signal, note))
    for (const event of data) cli.out.item(event, () => lineOfEvent(event));
}
