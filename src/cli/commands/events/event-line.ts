import { styled } from '../../terminal/output.ts';
import { type FeedEvent, personOf } from '../messages/message.ts';

/** Returns an event as one line for people. */
export function lineOfEvent({ id, type, timestamp, data }: FeedEvent): string {
  return [
    styled('dim', timestamp),
    styled('cyan', type.padEnd(18)),
    styled('reset', (personOf(data) ?? '-').padEnd(16)),
    styled('dim', data.id ?? id),
  ].join('  ');
}
