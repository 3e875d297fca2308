import type { Queryable } from '../../database/database.ts';
import type { CallFailure, ListedTemplate, Upstream } from '../../upstream/index.ts';
import { listTemplateIds } from '../queries.ts';

/** Result of reading all templates of a WABA. */
export interface TemplateListing {
  templates: ListedTemplate[];
  /** Ids stored before the reading began that the upstream no longer has. */
  goneIds: readonly string[];
  calls: number;
  /** The failure that ended the reading early; templates read before it count. */
  failure: CallFailure | undefined;
}

type TemplateSource = Pick<Upstream, 'listTemplates'>;

/**
 * Reads all templates of a WABA, page by page. The upstream counts pages by position: a deletion during the reading moves the rest forward,
 * so the first template of the next page is skipped. A template missing from several pages is therefore considered deleted only if a second
 * reading lacks it, too.
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

/** Returns the `ids` that were not listed; none if one was listed without an id, because it could be any. */
function missingFrom(listed: readonly ListedTemplate[], ids: readonly string[]): string[] {
  const present = new Set(listed.map(({ id }) => id));
  return present.has(null) ? [] : ids.filter((id) => !present.has(id));
}
