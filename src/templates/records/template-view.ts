import { setImmediate } from 'node:timers/promises';
import { type JsonDocument, type Member, object, present, quoted, readStoredJson } from '../../core/json/index.ts';
import type { TemplateRecord } from './record-queries.ts';

/** Fields that a record has as columns. A stored field of the same name is hidden, because the column is current. */
const OWN_NAMES = [
  'id',
  'waba_id',
  'name',
  'language',
  'category',
  'status',
  'parameter_format',
  'components',
  'quality_score',
  'rejected_reason',
  'created_at',
  'updated_at',
];

const CHARS_A_TURN = 256 * 1024;

/** Renders the stored record as JSON text (api-rules#templates): components and other fields exactly as sent or read. */
export function renderTemplate(record: TemplateRecord): string {
  return object(
    withOthers(othersOf(record), [
      ['id', quoted(record.id)],
      ['waba_id', quoted(record.wabaId)],
      ['name', quoted(record.name)],
      ['language', quoted(record.language)],
      ['category', quoted(record.category)],
      ['status', quoted(record.status)],
      ['parameter_format', quoted(record.parameterFormat)],
      ['components', record.components],
      ['quality_score', quoted(record.qualityScore)],
      ['rejected_reason', quoted(record.rejectedReason)],
      ['created_at', quoted(record.createdAt.toISOString())],
      ['updated_at', quoted(record.updatedAt.toISOString())],
    ]),
  );
}

/** Renders the stored record in the Cloud API's form, without fields that have no value; only `id` and `fields` if `fields` are given. */
export function renderGraphTemplate(record: TemplateRecord, fields: readonly string[] | undefined): string {
  const others = othersOf(record);
  const own: Member[] = [
    ['name', quoted(record.name)],
    ['parameter_format', present(record.parameterFormat)],
    ['components', record.components],
    ['language', quoted(record.language)],
    ['status', quoted(record.status)],
    ['category', quoted(record.category)],
    ['quality_score', qualityOf(record, others)],
    ['rejected_reason', present(record.rejectedReason)],
    ['id', quoted(record.id)],
  ];
  return object(withOthers(others, own, fields && new Set(['id', ...fields])));
}

/** Renders records with `render`, yielding to other work in between: one record may be as large as a request body. */
export async function renderInTurns(
  records: readonly TemplateRecord[],
  render: (record: TemplateRecord) => string,
): Promise<string[]> {
  const rendered: string[] = [];
  let chars = 0;
  for (const record of records) {
    if (chars > CHARS_A_TURN) {
      await setImmediate();
      chars = 0;
    }
    rendered.push(render(record));
    chars += record.components.length + record.otherFields.length;
  }
  return rendered;
}

/** Returns the quality as the upstream reported it. A score reported without a time gets the time of the template's last change. */
function qualityOf({ qualityScore, updatedAt }: TemplateRecord, others: JsonDocument): string | undefined {
  if (qualityScore === null) return undefined;
  const told = (others.value.quality_score ?? {}) as { score?: unknown; date?: unknown };
  const raw = told.score === qualityScore && told.date !== undefined ? others.rawOf(['quality_score']) : undefined;
  return raw ?? JSON.stringify({ score: qualityScore, date: Math.floor(updatedAt.getTime() / 1_000) });
}

function othersOf({ otherFields }: TemplateRecord): JsonDocument {
  return readStoredJson(otherFields);
}

/** Returns `members` and every other stored field, restricted to `wanted` if given. */
function withOthers(others: JsonDocument, members: readonly Member[], wanted?: ReadonlySet<string>): Member[] {
  const isShown = (name: string) => wanted === undefined || wanted.has(name);
  const shown = Object.keys(others.value).filter((key) => isShown(key) && !OWN_NAMES.includes(key));
  return [...members.filter(([name]) => isShown(name)), ...shown.map((key): Member => [key, others.rawOf([key])])];
}
