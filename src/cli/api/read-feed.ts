import type { Api } from './api.ts';

const WAIT_SECONDS = 25;

/**
 * Opens the pull feed of events after the newest one. Events after the returned promise resolves are read without a gap, until the API's
 * signal aborts.
 */
export async function readFeed<Event>(api: Api): Promise<AsyncGenerator<Event>> {
  const { next } = await api.get<{ next: string }>('/v1/events', { after: 'now', limit: 1 });
  return follow(api, next);
}

async function* follow<Event>(api: Api, start: string): AsyncGenerator<Event> {
  for (let after = start; ; ) {
    const page = await api.get<{ data: Event[]; next: string }>('/v1/events', {
      after,
      wait: WAIT_SECONDS,
      limit: 500,
    });
    yield* page.data;
    after = page.next;
  }
}
