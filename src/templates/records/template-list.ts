import { type Static, Type } from 'typebox';
import { invalid } from '../../core/errors.ts';
import type { Queryable } from '../../database/database.ts';
import { NO_NUL } from '../../http/index.ts';
import { type ListPosition, listTemplates, type TemplateRecord } from './record-queries.ts';

/** Many clients of the Cloud API request hundreds at once and read no further page. */
const PAGE_SIZE_MAX = 1_000;
/** Bounds and default of `limit`. */
export const LIMITS = { min: 1, max: 999_999, fallback: 25 } as const;
/** A thousand templates take two or three MiB; a single one may be larger. */
const PAGE_BYTES_MAX = 4 * 1024 * 1024;

const filterText = (description: string) =>
  Type.Optional(Type.String({ maxLength: 600, pattern: NO_NUL, description }));

const SEVERAL = 'Several: a JSON array of them, or commas in between.';

/** Parameters of a list. Unknown parameters are ignored. */
export const listQuery = Type.Object({
  name: filterText('The exact name.'),
  name_or_content: filterText('A part of the name or of the components, in any letter case.'),
  content: filterText('A part of the components, in any letter case.'),
  status: filterText(`A status, in any letter case. Without it, all but deleted templates. ${SEVERAL}`),
  language: filterText(`The exact language code. ${SEVERAL}`),
  category: filterText(`A category, in any letter case. ${SEVERAL}`),
  quality_score: filterText(`A quality score, in any letter case. ${SEVERAL}`),
  limit: Type.Optional(
    Type.Integer({
      minimum: LIMITS.min,
      maximum: LIMITS.max,
      default: LIMITS.fallback,
      description: `Templates on a page, ${PAGE_SIZE_MAX} at most; fewer if they are large.`,
    }),
  ),
  after: filterText('`paging.cursors.after` of the page before.'),
  before: filterText('`paging.cursors.before` of the page behind.'),
});

/** A page of templates, newest first. Cursors are opaque. */
export interface TemplatePage {
  records: TemplateRecord[];
  /** Cursors of the first and the last record; absent if there are no records. */
  cursors: { before: string; after: string } | undefined;
  /** True if older templates follow. */
  hasNext: boolean;
  /** True if newer templates precede. */
  hasPrevious: boolean;
}

/** Returns one page of the organization's templates. Raises VALIDATION_ERROR for an invalid cursor. */
export async function listTemplatePage(
  deps: { db: Queryable },
  organizationId: string,
  query: Static<typeof listQuery> & { waba_id?: string },
): Promise<TemplatePage> {
  const limit = Math.min(PAGE_SIZE_MAX, query.limit ?? LIMITS.fallback);
  const direction = query.before !== undefined && query.after === undefined ? 'newer' : 'older';
  const cursor = query.after ?? query.before;
  const filter = {
    wabaId: query.waba_id,
    name: query.name,
    nameOrContent: query.name_or_content,
    content: query.content,
    statuses: wordsOf(query.status?.toUpperCase()),
    languages: wordsOf(query.language),
    categories: wordsOf(query.category?.toUpperCase()),
    qualityScores: wordsOf(query.quality_score?.toUpperCase()),
  };
  const position = cursor === undefined ? null : readCursor(cursor);
  const window = { direction, position, limit, bytesMax: PAGE_BYTES_MAX } as const;
  const { records: found, goesOn } = await listTemplates(deps.db, organizationId, filter, window);
  const records = direction === 'older' ? found : found.toReversed();
  const [first, last] = [records[0], records.at(-1)];
  return {
    records,
    cursors: first && last && { before: cursorOf(first), after: cursorOf(last) },
    hasNext: direction === 'older' ? goesOn : true,
    hasPrevious: direction === 'older' ? position !== null : goesOn,
  };
}

/** Returns the words of `A`, `A,B` or `["A","B"]`; undefined if there are none. */
function wordsOf(text: string | undefined): string[] | undefined {
  return text?.match(/[^\s,"[\]]+/g) ?? undefined;
}

function cursorOf({ createdAt, id }: TemplateRecord): string {
  return Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url');
}

function readCursor(text: string): ListPosition {
  const [, createdAtMs, id] = /^(\d{1,15})\.(\d{1,30})$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (createdAtMs === undefined || id === undefined) {
    throw invalid('The cursor is not one of a list of templates.');
  }
  return { createdAtMs: Number(createdAtMs), id };
}
