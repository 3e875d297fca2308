import { isObject } from '../../core/json/index.ts';

export type ParameterFormat = 'NAMED' | 'POSITIONAL';

/** The members of a component that hold text with placeholders. */
const TEXT_KEYS = ['text', 'url'];

/** True if an example anywhere in the components names its parameters (api-rules#templates). */
export function hasNamedExamples(components: unknown): boolean {
  return someMember(
    components,
    (key, value) =>
      key === 'example' && isObject(value) && Object.keys(value).some((name) => name.endsWith('_named_params')),
  );
}

/**
 * Returns the format that the placeholders of all texts imply (api-rules#templates), including headers, buttons and carousel cards. One
 * name makes it NAMED, because URL buttons are numbered in both formats. Without placeholders it is POSITIONAL, as upstream.
 */
export function formatOfPlaceholders(components: unknown): ParameterFormat {
  const isNamed = someMember(
    components,
    (key, value) => TEXT_KEYS.includes(key) && typeof value === 'string' && /\{\{\s*[^\s\d{}][^{}]*\}\}/.test(value),
  );
  return isNamed ? 'NAMED' : 'POSITIONAL';
}

/** Recursive: a JsonDocument is at most 64 levels deep. */
function someMember(value: unknown, matches: (key: string, value: unknown) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => someMember(item, matches));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, member]) => matches(key, member) || someMember(member, matches));
}
