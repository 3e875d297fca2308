import type { AnswerOf, BodyOf, QueryOf, Schema } from '../api-shapes.ts';
import { PagedList } from '../pages.ts';
import type { CallOptions, Transport } from '../transport/transport.ts';

export type OptOut = Schema<'OptOut'>;

/** Manages the people who want no marketing. */
export class OptOuts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Opts a person out of the marketing of a number. A repeated call changes nothing. */
  add(body: BodyOf<'addOptOut'>, options?: CallOptions): Promise<OptOut> {
    return this.#transport.body({ ...options, method: 'POST', path: '/v1/opt-outs', json: body });
  }

  /** Lists opt-outs, newest first. */
  list(query: QueryOf<'listOptOuts'> = {}, options?: CallOptions): PagedList<OptOut> {
    const read = (after: string | undefined) =>
      this.#transport.body<AnswerOf<'listOptOuts'>>({
        ...options,
        method: 'GET',
        path: '/v1/opt-outs',
        query: { ...query, after },
      });
    return new PagedList(read, query.after);
  }

  /** Ends an opt-out. */
  remove(id: string, options?: CallOptions): Promise<void> {
    return this.#transport.body({ ...options, method: 'DELETE', path: `/v1/opt-outs/${encodeURIComponent(id)}` });
  }
}
