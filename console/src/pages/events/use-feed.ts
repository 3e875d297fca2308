import { useEffect, useRef, useState } from 'react';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';

type Event = Schema<'Event'>;

/** Most events on the page; older ones are dropped. */
const KEPT = 200;
const WAIT_S = 20;

/** Follows the event feed by calls that wait for the next event. Newest first. A pause keeps the place. */
export function useFeed(filters: { type?: string; number?: string }, isPaused: boolean) {
  const api = useApi();
  const apiNow = useRef(api);
  apiNow.current = api;
  const place = useRef('now');
  const [events, setEvents] = useState<Event[]>([]);
  const [error, setError] = useState<unknown>();
  const { type, number } = filters;
  useEffect(() => {
    if (isPaused) return undefined;
    const stop = new AbortController();
    const { signal } = stop;
    setError(undefined);
    const follow = async () => {
      while (!signal.aborted) {
        const query = { after: place.current, wait: WAIT_S, type, number };
        const { data, next } = await apiNow.current.get<AnswerOf<'listEvents'>>('/v1/events', query, signal);
        if (signal.aborted) return;
        place.current = next;
        if (data.length > 0) setEvents((before) => [...data.toReversed(), ...before].slice(0, KEPT));
      }
    };
    follow().catch((reason) => {
      if (!signal.aborted) setError(reason);
    });
    return () => stop.abort();
  }, [isPaused, type, number]);
  return { events, error };
}
