import { inOrder, isMembers } from './exact-json.ts';
import type { Template } from './template.ts';

/** The content of a template's file: the members that a creation takes. */
export interface TemplateContent {
  name: string;
  language: string;
  category: string;
  components: unknown[];
  [member: string]: unknown;
}

/** Members that only the gateway and the platform set. */
const SERVER_MEMBERS = new Set([
  'id',
  'waba_id',
  'status',
  'quality_score',
  'rejected_reason',
  'rejection_info',
  'created_at',
  'updated_at',
  'last_updated_time',
  'previous_category',
  'correct_category',
  // With components, a template is created from them and not from the library.
  'library_template_name',
]);

/** Members that stand first in a file, in this order. */
const FIRST = ['name', 'language', 'category', 'parameter_format', 'type', 'format', 'text'];

/** Returns the members of a template that its file has, without those that have no value. */
export function contentOf(template: Template): TemplateContent {
  const members = Object.entries(template).filter(([name, value]) => !SERVER_MEMBERS.has(name) && value !== null);
  return Object.fromEntries(members) as TemplateContent;
}

/** Returns the text of a file: the same for the same content, with the components at the end. */
export function fileTextOf(content: TemplateContent): string {
  const { components, ...head } = content;
  const ordered = { ...(inOrder(head, FIRST) as object), components: inOrder(components, FIRST) };
  return `${JSON.stringify(ordered, null, 2)}\n`;
}

/** Returns `value` with the sample files of `local` in the same places, because the platform reports them under another URL each time. */
export function withSamplesOf<Value>(value: Value, local: unknown): Value {
  return mergeSamples(value, local) as Value;
}

function mergeSamples(value: unknown, local: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(local)) return value.map((item, at) => mergeSamples(item, local[at]));
  if (!isMembers(value) || !isMembers(local)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const other = Object.hasOwn(local, name) ? local[name] : undefined;
      const isSample = name === 'header_handle' && Array.isArray(member) && Array.isArray(other);
      return [name, isSample ? other : mergeSamples(member, other)];
    }),
  );
}
