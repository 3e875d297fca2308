import type { AnswerOf, BodyOf, QueryOf, Schema } from '../api-shapes.ts';
import { PagedList } from '../pages.ts';
import type { CallOptions, Transport } from '../transport/transport.ts';
import { wait } from '../transport/wait.ts';
import { MessageFailedError, type WaitOptions, withinTime } from '../waiting.ts';

export type SendBody = Schema<'SendRequest'>;
export type MarketingBody = Schema<'MarketingSendRequest'>;
export type Message = Schema<'Message'>;

/** Settings of a send. */
export interface SendOptions extends CallOptions {
  /** Makes a repetition safe, also one by another process. A random UUID if absent. The gateway keeps it for 7 days. */
  idempotencyKey?: string;
  /** True to wait up to 10 seconds for the platform. */
  sync?: boolean;
}

/** An accepted send. */
export interface Sent {
  /** The gateway's id of the message. */
  id: string;
  status: 'queued' | 'sent';
  /** The platform's id; known if `status` is `sent`. */
  wamid: string | undefined;
  /** The key of the send. */
  idempotencyKey: string;
  /** True if an earlier request with the same key made the message. */
  isReplayed: boolean;
  /** The answer, as in the API. */
  answer: Schema<'SendAnswer'>;
}

/** Statuses in the order in which they replace each other. */
const ORDER = ['queued', 'sent', 'delivered', 'read'];
const POLL_FIRST_MS = 250;
const POLL_MAX_MS = 5000;

/** Settings of `messages.waitFor`. */
export interface MessageWaitOptions extends WaitOptions {
  /** Status to wait for; a later one satisfies too. `delivered` if absent. */
  status?: 'sent' | 'delivered' | 'read' | 'failed';
}

/** Sends, reads and cancels messages. */
export class Messages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Sends a message from a number. The body is the Cloud API's own. */
  send(phoneNumberId: string, body: SendBody, options: SendOptions = {}): Promise<Sent> {
    return this.#send(phoneNumberId, 'messages', body, options);
  }

  /** Sends a marketing template to the platform's `/marketing_messages`, whatever the gateway's setting says. */
  sendMarketing(phoneNumberId: string, body: MarketingBody, options: SendOptions = {}): Promise<Sent> {
    return this.#send(phoneNumberId, 'marketing_messages', body, options);
  }

  async #send(
    phoneNumberId: string,
    edge: string,
    body: SendBody | MarketingBody,
    options: SendOptions,
  ): Promise<Sent> {
    const { idempotencyKey = crypto.randomUUID(), sync, ...call } = options;
    const { body: answer, headers } = await this.#transport.json<Schema<'SendAnswer'>>({
      ...call,
      method: 'POST',
      path: `/v1/${encodeURIComponent(phoneNumberId)}/${edge}`,
      query: { sync },
      json: body,
      idempotencyKey,
    });
    const message: { id: string; message_status: 'queued' | 'sent'; wamid?: string } | undefined = answer.messages[0];
    if (message === undefined) throw new TypeError('The answer names no message.');
    return {
      id: message.id,
      status: message.message_status,
      wamid: message.wamid,
      idempotencyKey,
      isReplayed: headers.get('idempotent-replayed') === 'true',
      answer,
    };
  }

  /** Marks a person's message as read, with a typing indicator if the body has one. */
  markAsRead(phoneNumberId: string, body: Omit<BodyOf<'markAsRead'>, 'status'>, options?: CallOptions) {
    return this.#transport.body<AnswerOf<'markAsRead'>>({
      ...options,
      method: 'PUT',
      path: `/v1/${encodeURIComponent(phoneNumberId)}/messages`,
      json: { messaging_product: 'whatsapp', status: 'read', ...body },
    });
  }

  /** Reads a message by the gateway's id. */
  get(id: string, options?: CallOptions): Promise<Message> {
    return this.#transport.body({ ...options, method: 'GET', path: `/v1/messages/${encodeURIComponent(id)}` });
  }

  /** Reads the body of a message byte for byte, as JSON text: as sent to the platform, or as received from it. */
  async body(id: string, options?: CallOptions): Promise<string> {
    const path = `/v1/messages/${encodeURIComponent(id)}/body`;
    return (await this.#transport.stream({ ...options, method: 'GET', path })).text();
  }

  /** Lists messages, the newest first. */
  list(query: QueryOf<'listMessages'> = {}, options?: CallOptions): PagedList<Message> {
    const read = (after: string | undefined) =>
      this.#transport.body<AnswerOf<'listMessages'>>({
        ...options,
        method: 'GET',
        path: '/v1/messages',
        query: { ...query, after },
      });
    return new PagedList(read, query.after);
  }

  /** Explains the course of a message, and its wait if it is queued. */
  timeline(id: string, options?: CallOptions): Promise<AnswerOf<'getMessageTimeline'>> {
    return this.#transport.body({ ...options, method: 'GET', path: `/v1/messages/${encodeURIComponent(id)}/timeline` });
  }

  /** Cancels one waiting message. */
  cancel(id: string, options?: CallOptions): Promise<AnswerOf<'cancelMessage'>> {
    return this.#transport.body({ ...options, method: 'POST', path: `/v1/messages/${encodeURIComponent(id)}/cancel` });
  }

  /** Cancels all waiting messages that match every member of `filter`. Returns their number. */
  async cancelAll(filter: BodyOf<'cancelMessages'>, options?: CallOptions): Promise<number> {
    let cancelled = 0;
    for (let json: BodyOf<'cancelMessages'> | null = filter; json !== null; ) {
      const answer: AnswerOf<'cancelMessages'> = await this.#transport.body({
        ...options,
        method: 'POST',
        path: '/v1/messages/cancel',
        json,
      });
      cancelled += answer.cancelled;
      json = answer.next;
    }
    return cancelled;
  }

  /** Reads the 24-hour window of a person or a group with a number. */
  window(phoneNumberId: string, person: string, options?: CallOptions): Promise<Schema<'Window'>> {
    const path = `/v1/${encodeURIComponent(phoneNumberId)}/windows/${encodeURIComponent(person)}`;
    return this.#transport.body({ ...options, method: 'GET', path });
  }

  /**
   * Polls a message until it has reached a status, and returns it.
   * @throws MessageFailedError if it failed and another status was awaited; WaitTimeoutError
   */
  waitFor(id: string, { status = 'delivered', ...limits }: MessageWaitOptions = {}): Promise<Message> {
    return withinTime(limits, `Status ${status} of message ${id}`, async (signal) => {
      for (let pauseMs = POLL_FIRST_MS; ; pauseMs = Math.min(POLL_MAX_MS, pauseMs * 1.5)) {
        const message = await this.get(id, { signal });
        if (message.status === status) return message;
        if (message.status === 'failed') throw new MessageFailedError(id, message.error_code, message.error_message);
        if (status !== 'failed' && ORDER.indexOf(message.status) > ORDER.indexOf(status)) return message;
        await wait(pauseMs, signal);
      }
    });
  }
}
