import type { Command } from 'commander';
import type { FeedPage } from '../../api/read-feed.ts';
import type { Cli } from '../../cli.ts';
import { readCount } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import type { FeedEvent } from '../messages/message.ts';
import { lineOfEvent } from './event-line.ts';

interface ListOptions {
  after?: string;
  type?: string;
  number?: string;
  limit: number;
}

const PAGE_MAX = 500;

export function registerEventsList(events: Command): void {
  addCommand(events, 'list', 'list stored events, oldest first', [
    'fairway events list --type message.failed',
    'fairway events list --after CURSOR --json',
  ])
    .option('--after <cursor>', 'begin after this cursor, which an earlier list printed')
    .option('--type <types>', 'only events of these types, separated by commas')
    .option('--number <id>', 'only events of this number')
    .option('--limit <count>', 'highest number of events', readCount, 100)
    .action(act(listEvents));
}

async function listEvents(cli: Cli, { after, type, number, limit }: ListOptions): Promise<void> {
  const api = await cli.tenant();
  let cursor = after;
  for (let left = limit; left > 0; ) {
    const query = { type, number, after: cursor, limit: Math.min(left, PAGE_MAX) };
    const page: FeedPage<FeedEvent> = await api.get('/v1/events', query);
    for (const event of page.data) cli.out.item(event, () => lineOfEvent(event));
    cursor = page.next;
    left -= page.data.length;
    if (page.data.length === 0) break;
  }
  cli.out.note(`Cursor: ${cursor}`);
}
