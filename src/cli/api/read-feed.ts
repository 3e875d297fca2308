import type { Api } from './api.ts';

const WAIT_SECONDS = 25;
const PAGE_MAX = 500;

/** One page of the pull feed. */
export interface FeedPage<Event> {
  data: Event[];
  /** Cursor behind the page. */
  next: string;
}

/** A page with the JSON text that it was read from. */
export interface ReadPage<Event> extends FeedPage<Event> {
  text: string;
}

/** Filter of the pull feed: event types separated by commas, and the ID of a number. The rest is the form of the events. */
export interface FeedFilter {
  type?: string | undefined;
  number?: string | undefined;
  format?: string | undefined;
  message_ids?: string | undefined;
  phone_numbers?: string | undefined;
}

/**
 * Opens the pull feed of events after the newest one. Events after the returned promise resolves are read without a gap, until the API's
 * signal aborts.
 */
export async function readFeed<Event>(api: Api): Promise<AsyncGenerator<Event>> {
  return follow(api, await readNewestCursor(api, {}));
}

/** Returns the cursor behind all present events. */
export async function readNewestCursor(api: Api, filter: FeedFilter): Promise<string> {
  return (await api.get<FeedPage<unknown>>('/v1/events', { ...filter, after: 'now', limit: 1 })).next;
}

/** Returns the events after a cursor; waits for one if there is none. */
export async function readPage<Event>(api: Api, after: string, filter: FeedFilter): Promise<ReadPage<Event>> {
  const query = { ...filter, after, wait: WAIT_SECONDS, limit: PAGE_MAX };
  const text = await (await api.open('GET', '/v1/events', { query })).text();
  return { ...(JSON.parse(text) as FeedPage<Event>), text };
}

async function* follow<Event>(api: Api, start: string): AsyncGenerator<Event> {
  for (let after = start; ; ) {
    const page = await readPage<Event>(api, after, {});
    yield* page.data;
    after = page.next;
  }
}
