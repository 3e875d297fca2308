import { createHash } from 'node:crypto';
import { type Columns, type RowFields, readFields } from './columns.ts';
import type { CsvRow } from './read-rows.ts';
import { componentsOf, type Needs, problemsOf } from './template-components.ts';

const TEXT_CHARS_MAX = 4096;
const CALLBACK_CHARS_MAX = 512;
const KEY_CHARS_MAX = 200;
const LANGUAGE = 'en_US';

/** One send, ready for the gateway. */
export interface RowSend {
  from: string;
  idempotencyKey: string;
  body: object;
}

/** Facts of the gateway against which rows are checked. */
export interface KnownFacts {
  columns: Columns;
  /** Part of every key: another name sends the same rows again. */
  importName: string;
  /** Number of rows without `from`. */
  from: string | undefined;
  language: string | undefined;
  /** Returns the needs of a template, or a problem. */
  needsOf(name: string, language: string): Needs;
  /** True if the organization has this number. */
  hasNumber(phoneNumberId: string): Promise<boolean>;
}

/** Reads one row: the send, or all its problems. The key depends on the import's name and the content of the row only. */
export async function readSend(facts: KnownFacts, row: CsvRow): Promise<{ send: RowSend } | { problems: string[] }> {
  const { columns, importName } = facts;
  const fields = readFields(columns, row.cells);
  const from = fields.from ?? facts.from;
  const problems = fieldProblems(fields);
  if (row.cells.length > columns.length)
    problems.push(`it has ${row.cells.length} cells, the header ${columns.length}`);
  if (row.cells.some((cell) => cell.includes('\ufffd'))) problems.push('it is not UTF-8');
  if (from === undefined) problems.push('the sending number is missing: add the column "from", or pass --from');
  else if (!(await facts.hasNumber(from))) problems.push(`there is no number ${from}`);
  const content = readContent(facts, fields);
  if ('problems' in content) problems.push(...content.problems);
  if (problems.length > 0 || from === undefined || 'problems' in content) return { problems };
  const { to, recipient, callback_data: callbackData, key } = fields;
  const body = {
    messaging_product: 'whatsapp',
    ...(to !== undefined ? { to } : { recipient }),
    ...content,
    ...(callbackData !== undefined && { biz_opaque_callback_data: callbackData }),
  };
  // A key of the file stands for the row, also if its other cells are changed later.
  const identity = key === undefined ? ['row', from, body] : ['key', key];
  const digest = createHash('sha256')
    .update(JSON.stringify([importName, ...identity]))
    .digest('hex');
  return { send: { from, body, idempotencyKey: `import-${digest}` } };
}

function fieldProblems({ to, recipient, text, callback_data: callbackData, key }: RowFields): string[] {
  const problems: string[] = [];
  if ((to === undefined) === (recipient === undefined)) problems.push('give one of "to" and "recipient"');
  if (to !== undefined && !/^\+?\d{7,15}$/.test(to.replaceAll(/[\s().-]/g, '')))
    problems.push(`"${to}" is no phone number with country code`);
  if (text !== undefined && text.length > TEXT_CHARS_MAX)
    problems.push(`the text exceeds ${TEXT_CHARS_MAX} characters`);
  if (callbackData !== undefined && callbackData.length > CALLBACK_CHARS_MAX)
    problems.push(`the callback data exceeds ${CALLBACK_CHARS_MAX} characters`);
  if (key !== undefined && key.length > KEY_CHARS_MAX) problems.push(`the key exceeds ${KEY_CHARS_MAX} characters`);
  return problems;
}

function readContent(facts: KnownFacts, fields: RowFields): object | { problems: string[] } {
  const { template, text, parameters } = fields;
  if ((template === undefined) === (text === undefined)) return { problems: ['give one of "template" and "text"'] };
  if (template === undefined) {
    if (parameters.size > 0) return { problems: [`a text has no parameters (${[...parameters.keys()].join(', ')})`] };
    return { type: 'text', text: { body: text } };
  }
  const code = fields.language ?? facts.language ?? LANGUAGE;
  const needs = facts.needsOf(template, code);
  if ('problem' in needs) return { problems: [`template "${template}" (${code}): ${needs.problem}`] };
  const problems = problemsOf(needs.slots, parameters);
  if (problems.length > 0) return { problems };
  const components = componentsOf(needs.slots, parameters);
  return {
    type: 'template',
    template: { name: template, language: { code }, ...(components.length > 0 && { components }) },
  };
}
