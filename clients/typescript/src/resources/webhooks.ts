import type { AnswerOf, BodyOf, QueryOf, Schema } from '../api-shapes.ts';
import { PagedList } from '../pages.ts';
import type { ApiRequest, CallOptions, Transport } from '../transport/transport.ts';

export type WebhookEndpoint = Schema<'WebhookEndpoint'>;

/** Manages the endpoints that receive events, and their deliveries. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates an endpoint. Only this answer and that of `rotateSecret` have the secret. */
  create(body: BodyOf<'createWebhook'>, options?: CallOptions): Promise<Schema<'WebhookEndpointWithSecret'>> {
    return this.#transport.body({ ...options, method: 'POST', path: '/v1/webhooks', json: body });
  }

  list(query: QueryOf<'listWebhooks'> = {}, options?: CallOptions): PagedList<WebhookEndpoint> {
    const read = (after: string | undefined) =>
      this.#transport.body<AnswerOf<'listWebhooks'>>({
        ...options,
        method: 'GET',
        path: '/v1/webhooks',
        query: { ...query, after },
      });
    return new PagedList(read, query.after);
  }

  get(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#of(id, '', { ...options, method: 'GET' });
  }

  update(id: string, body: BodyOf<'updateWebhook'>, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#of(id, '', { ...options, method: 'PATCH', json: body });
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.#of(id, '', { ...options, method: 'DELETE' });
  }

  /** Turns a disabled endpoint on again. */
  enable(id: string, body: BodyOf<'enableWebhook'> = {}, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#of(id, '/enable', { ...options, method: 'POST', json: body });
  }

  /** Sends a test event. */
  test(id: string, options?: CallOptions): Promise<AnswerOf<'testWebhook'>> {
    return this.#of(id, '/test', { ...options, method: 'POST' });
  }

  /** Makes a new secret. The old one signs as well for a day, or for `overlap_seconds`. */
  rotateSecret(id: string, body: BodyOf<'rotateWebhookSecret'> = {}, options?: CallOptions) {
    return this.#of<Schema<'WebhookEndpointWithSecret'>>(id, '/rotate-secret', {
      ...options,
      method: 'POST',
      json: body,
    });
  }

  deliveries(
    id: string,
    query: QueryOf<'listWebhookDeliveries'> = {},
    options?: CallOptions,
  ): PagedList<Schema<'Delivery'>> {
    const read = (after: string | undefined) =>
      this.#of<AnswerOf<'listWebhookDeliveries'>>(id, '/deliveries', {
        ...options,
        method: 'GET',
        query: { ...query, after },
      });
    return new PagedList(read, query.after);
  }

  /** Delivers events again. Returns the number of queued deliveries. */
  async replay(id: string, body: BodyOf<'replayWebhook'>, options?: CallOptions): Promise<number> {
    let queued = 0;
    for (let json: unknown = body; json !== null; ) {
      const request = { ...options, method: 'POST', json } as const;
      const answer: AnswerOf<'replayWebhook'> = await this.#of(id, '/replay', request);
      queued += answer.queued;
      json = answer.next;
    }
    return queued;
  }

  #of<Body>(id: string, rest: string, request: Omit<ApiRequest, 'path'>): Promise<Body> {
    return this.#transport.body({ ...request, path: `/v1/webhooks/${encodeURIComponent(id)}${rest}` });
  }
}
