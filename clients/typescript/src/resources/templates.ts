import type { AnswerOf, BodyOf, QueryOf, Schema } from '../api-shapes.ts';
import { PagedList } from '../pages.ts';
import type { CallOptions, Transport } from '../transport/transport.ts';

export type Template = Schema<'Template'>;

/** Creates, reads, edits and deletes templates. */
export class Templates {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Submits a template for review. The body is the Cloud API's own. */
  create(wabaId: string, body: BodyOf<'createTemplate'>, options?: CallOptions): Promise<AnswerOf<'createTemplate'>> {
    const path = `/v1/${encodeURIComponent(wabaId)}/templates`;
    return this.#transport.body({ ...options, method: 'POST', path, json: body });
  }

  get(id: string, options?: CallOptions): Promise<Template> {
    return this.#transport.body({ ...options, method: 'GET', path: `/v1/templates/${encodeURIComponent(id)}` });
  }

  /** Lists the templates of all business accounts of the organization. */
  list(query: QueryOf<'listTemplates'> = {}, options?: CallOptions): PagedList<Template> {
    const read = async (after: string | undefined) => {
      const { data, paging } = await this.#transport.body<AnswerOf<'listTemplates'>>({
        ...options,
        method: 'GET',
        path: '/v1/templates',
        query: { ...query, after },
      });
      return { data, next: paging?.next === undefined ? null : paging.cursors.after };
    };
    return new PagedList(read, query.after);
  }

  edit(id: string, body: BodyOf<'editTemplate'>, options?: CallOptions): Promise<AnswerOf<'editTemplate'>> {
    const path = `/v1/templates/${encodeURIComponent(id)}`;
    return this.#transport.body({ ...options, method: 'POST', path, json: body });
  }

  delete(id: string, options?: CallOptions): Promise<AnswerOf<'deleteTemplate'>> {
    return this.#transport.body({ ...options, method: 'DELETE', path: `/v1/templates/${encodeURIComponent(id)}` });
  }
}
