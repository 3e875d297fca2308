import type { AnswerOf, EventType, FeedEvent } from '../api-shapes.ts';
import type { Page } from '../pages.ts';
import type { CallOptions, Transport } from '../transport/transport.ts';
import { MessageFailedError, type WaitOptions, withinTime } from '../waiting.ts';

/** Events to read. */
interface EventFilter<Type extends EventType = EventType> {
  /** Types to read; all if absent. */
  types?: readonly Type[];
  /** Only events of this number, by its numeric id. */
  number?: string;
}

/** Form of the events, as an endpoint has it. */
interface EventForm {
  /** In the format `cloud_api`, `data` is the platform's own payload: cast it. Events without such a payload are left out. */
  format?: 'standard' | 'cloud_api';
  /** Ids of sent messages in the format `cloud_api`. */
  message_ids?: 'upstream' | 'gateway';
  /** Notation of people's numbers in the format `cloud_api`. */
  phone_numbers?: 'upstream' | 'e164';
}

/** Settings of the feed. */
export interface FeedOptions<Type extends EventType = EventType> extends EventFilter<Type>, EventForm, CallOptions {
  /** Cursor: `next` of an earlier page, or `now`. The beginning of the stored events if absent. */
  after?: string;
  /** Events of one page, up to 500. */
  limit?: number;
}

/** Settings of `events.waitFor`. */
export interface EventWaitOptions<Type extends EventType> extends WaitOptions, EventFilter<Type> {
  /** Cursor taken with `events.now()` before the act that causes the event. Without it, earlier events are missed. */
  after?: string;
  /** The message that the event is about. Its failure ends the wait. */
  messageId?: string;
  /** Accepts an event; every event of the types if absent. */
  matches?: (event: FeedEvent<Type>) => boolean;
}

/** Seconds that a request of the feed is held until there is an event. */
const HOLD_SECONDS = 20;

/** Reads the feed of all events, the same that webhook endpoints receive. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Reads one page, without a wait. Its `next` is the cursor of the next page, and never null. */
  async read<Type extends EventType = EventType>(options: FeedOptions<Type> = {}) {
    return this.#page(options, options.after, 0);
  }

  /** Returns the cursor of the end of the feed. */
  async now(options?: CallOptions): Promise<string> {
    return (await this.#page({ ...options }, 'now', 0)).next;
  }

  /**
   * Yields pages with at least one event as they come, until the signal aborts. Store `next` after the work on a page: a later call with
   * it as `after` misses nothing.
   */
  async *pages<Type extends EventType = EventType>(
    options: FeedOptions<Type> = {},
  ): AsyncGenerator<Page<FeedEvent<Type>> & { next: string }, never, undefined> {
    for (let { after } = options; ; ) {
      const page = await this.#page(options, after, HOLD_SECONDS);
      if (page.data.length > 0) yield page;
      after = page.next;
    }
  }

  /** Yields events as they come, until the signal aborts. */
  async *follow<Type extends EventType = EventType>(
    options: FeedOptions<Type> = {},
  ): AsyncGenerator<FeedEvent<Type>, never, undefined> {
    for await (const { data } of this.pages(options)) yield* data;
    throw new TypeError('The feed has no end.');
  }

  /**
   * Waits for an event and returns it.
   * @throws MessageFailedError if the message of `messageId` failed and its failure was not awaited; WaitTimeoutError
   */
  waitFor<Type extends EventType>(options: EventWaitOptions<Type>): Promise<FeedEvent<Type>> {
    const { types, messageId, matches = () => true, after = 'now', number } = options;
    const awaited = `Event ${types?.join(' or ') ?? ''}${messageId === undefined ? '' : ` of message ${messageId}`}`;
    const watched: readonly EventType[] | undefined =
      messageId === undefined ? types : types && [...new Set<EventType>([...types, 'message.failed'])];
    return withinTime(options, awaited, async (signal) => {
      const filter = { after, signal, ...(number !== undefined && { number }), ...(watched && { types: watched }) };
      for await (const event of this.follow(filter)) {
        if (messageId !== undefined && (event.data as { id?: unknown }).id !== messageId) continue;
        const isAwaited = types === undefined || (types as readonly EventType[]).includes(event.type);
        if (isAwaited && matches(event as FeedEvent<Type>)) return event as FeedEvent<Type>;
        if (messageId !== undefined && event.type === 'message.failed') throw failureOf(event, messageId);
      }
      throw new TypeError('The feed has no end.');
    });
  }

  async #page<Type extends EventType>(
    { types, number, limit, format, message_ids, phone_numbers, signal, timeoutMs, retries }: FeedOptions<Type>,
    after: string | undefined,
    wait: number,
  ): Promise<{ data: FeedEvent<Type>[]; next: string }> {
    const answer = await this.#transport.body<AnswerOf<'listEvents'>>({
      method: 'GET',
      path: '/v1/events',
      query: { after, wait, type: types, number, limit, format, message_ids, phone_numbers },
      ...(signal && { signal }),
      timeoutMs: timeoutMs ?? (HOLD_SECONDS + 30) * 1000,
      ...(retries !== undefined && { retries }),
    });
    return answer as { data: FeedEvent<Type>[]; next: string };
  }
}

function failureOf(event: FeedEvent<'message.failed'>, messageId: string): MessageFailedError {
  const { error_code, error_message } = event.data as { error_code?: string; error_message?: string };
  return new MessageFailedError(messageId, error_code, error_message);
}
