import type { AnswerOf, QueryOf, Schema } from '../api-shapes.ts';
import { PagedList } from '../pages.ts';
import type { CallOptions, Transport } from '../transport/transport.ts';

export type AuditedChange = Schema<'AuditedChange'>;

/** Reads the organization's part of the audit log. */
export class Audit {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists changes, newest first. */
  list(query: QueryOf<'listOwnAudit'> = {}, options?: CallOptions): PagedList<AuditedChange> {
    const read = (after: string | undefined) =>
      this.#transport.body<AnswerOf<'listOwnAudit'>>({
        ...options,
        method: 'GET',
        path: '/v1/audit',
        query: { ...query, after },
      });
    return new PagedList(read, query.after);
  }

  /** Checks that no change was altered or removed. */
  verify(query: QueryOf<'verifyOwnAudit'> = {}, options?: CallOptions): Promise<AnswerOf<'verifyOwnAudit'>> {
    return this.#transport.body({ ...options, method: 'GET', path: '/v1/audit/verification', query });
  }
}
