import type { Queryable } from '../../database/database.ts';
import type { CallFailure, ListedTemplate, Upstream } from '../../upstream/index.ts';
import { listTemplateIds } from '../queries.ts';

/** What reading all templates of a WABA brought. */
export interface TemplateListing {
  templates: ListedTemplate[];
  /** Of those that were stored before it began, the ones the upstream has no more. */
  goneIds: readonly string[];
  calls: number;
  /** What ended it early; what was read before that counts. */
  failure: CallFailure | undefined;
}

type TemplateSource = Pick<Upstream, 'listTemplates'>;

/**
 * Reads all templates of a WABA, page by page. The upstream counts its pages off by position: what is deleted meanwhile moves the rest
 * forward, and the first of the next page is passed over. So what is missing from several pages is gone only when a second reading
 * lacks it, too.
 */
export async function readAllTemplates(
  { db, upstream }: { db: Queryable; upstream: TemplateSource },
  organizationId: string,
  wabaId: string,
  token: string,
): Promise<TemplateListing> {
  const knownIds = await listTemplateIds(db, organizationId, wabaId);
  const first = await readPages(upstream, wabaId, token);
  const missing = missingFrom(first.templates, knownIds);
  if (first.failure !== undefined || missing.length === 0) return { ...first, goneIds: [] };
  if (first.calls === 1) return { ...first, goneIds: missing };
  const second = await readPages(upstream, wabaId, token);
  return {
    templates: first.templates,
    goneIds: missingFrom(second.templates, missing),
    calls: first.calls + second.calls,
    failure: second.failure,
  };
}

async function readPages(
  upstream: TemplateSource,
  wabaId: string,
  token: string,
): Promise<Omit<TemplateListing, 'goneIds'>> {
  let templates: ListedTemplate[] = [];
  let calls = 0;
  for await (const page of upstream.listTemplates(wabaId, token)) {
    calls += 1;
    if (page.kind !== 'ok') return { templates, calls, failure: page };
    templates = templates.concat(page.value);
  }
  return { templates, calls, failure: undefined };
}

/** Those of `ids` that were not listed; none where one was listed without an id, which may be any. */
function missingFrom(listed: readonly ListedTemplate[], ids: readonly string[]): string[] {
  const present = new Set(listed.map(({ id }) => id));
  return present.has(null) ? [] : ids.filter((id) => !present.has(id));
}
