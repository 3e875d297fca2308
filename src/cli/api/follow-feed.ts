import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import type { Api } from './api.ts';
import { type FeedFilter, type ReadPage, readPage } from './read-feed.ts';

const PAUSE_MS = 1_000;

/**
 * Yields the pages of the pull feed after a cursor as they come. Outlasts a gateway that is stopped or killed: reading continues at the same
 * cursor, so no event is lost or repeated.
 * @param note prints a remark when the gateway becomes unreachable, and when it is back
 */
export async function* followFeed<Event>(
  api: Api,
  start: string,
  filter: FeedFilter,
  signal: AbortSignal,
  note: (text: string) => void,
): AsyncGenerator<ReadPage<Event>> {
  let isTroubled = false;
  for (let after = start; ; ) {
    try {
      const page = await readPage<Event>(api, after, filter);
      if (isTroubled) note('The gateway answers again.');
      isTroubled = false;
      yield page;
      after = page.next;
    } catch (error) {
      if (signal.aborted || !(error instanceof CliError) || error.exitCode !== EXIT.unavailable) throw error;
      if (!isTroubled) note(`${error.message} Trying again …`);
      isTroubled = true;
      await delay(PAUSE_MS, undefined, { signal });
    }
  }
}
