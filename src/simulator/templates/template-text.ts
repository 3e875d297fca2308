import { asObject, asString, type JsonObject } from '../graph/json-object.ts';
import { charsIn } from '../messages/parameter-checks.ts';
import { type TemplateSubcode, templateError } from './template-errors.ts';
import { placeholdersIn } from './template-parameters.ts';

export type ParameterFormat = 'NAMED' | 'POSITIONAL';

interface TextRule {
  /** Name of the text in explanations. */
  place: string;
  charsMax: number;
  /** The subcode of a malformed text. */
  subcode: TemplateSubcode;
}

/** Reads a required text within its length; raises 2388040 if too long, 2388043 if absent. */
export function templateText(component: JsonObject, rule: TextRule): string {
  const text = asString(component.text);
  if (text === undefined || text === '') throw templateError(2388043, `${rule.place} is missing the field text.`);
  if (charsIn(text) > rule.charsMax) {
    throw templateError(2388040, `${rule.place} is longer than ${rule.charsMax} characters.`);
  }
  return text;
}

/** Checks placeholders and returns their names: positional ones count up from 1, named ones are lower case. */
export function checkPlaceholders(text: string, format: ParameterFormat, rule: TextRule): string[] {
  const names = placeholdersIn(text);
  if (format === 'POSITIONAL') {
    const isSequence = names
      .toSorted((one, two) => Number(one) - Number(two))
      .every((name, at) => name === String(at + 1));
    if (!isSequence)
      throw templateError(rule.subcode, `${rule.place}: variables must be numbered from {{1}} without gaps.`);
  } else if (!names.every((name) => /^[a-z_][a-z0-9_]*$/.test(name))) {
    throw templateError(rule.subcode, `${rule.place}: variable names have lower-case letters, digits and underscores.`);
  }
  return names;
}

/** Checks the rules of a body text other than its length. */
export function checkBodyText(text: string, names: readonly string[], rule: TextRule): void {
  const trimmed = text.trim();
  if (/^\{\{[^{}]*\}\}/.test(trimmed) || /\{\{[^{}]*\}\}$/.test(trimmed)) {
    throw templateError(2388299, "Variables can't be at the start or end of the template.");
  }
  if (/\n{3,}/.test(text)) throw templateError(rule.subcode, `${rule.place}: no more than two line breaks in a row.`);
  if ((text.match(/\p{Extended_Pictographic}/gu)?.length ?? 0) > 10) {
    throw templateError(rule.subcode, `${rule.place}: no more than ten emojis.`);
  }
  const words = text.replace(/\{\{[^{}]*\}\}/g, ' ').match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  if (words < names.length) {
    throw templateError(2388293, 'The template has too many variables for its length. Reduce them or add text.');
  }
}

/** Checks that every variable has a sample in `keys.positional` or `keys.named` of `example`. */
export function checkSamples(
  component: JsonObject,
  names: readonly string[],
  format: ParameterFormat,
  keys: { place: string; positional: string; named: string },
): void {
  if (names.length === 0) return;
  const example = asObject(component.example) ?? {};
  const given = format === 'NAMED' ? namedSamples(example[keys.named]) : positionalSamples(example[keys.positional]);
  const isComplete = format === 'NAMED' ? names.every((name) => given.includes(name)) : given.length === names.length;
  if (!isComplete) {
    const key = format === 'NAMED' ? keys.named : keys.positional;
    throw templateError(2388043, `${keys.place} is missing expected field(s): example.${key}.`);
  }
}

function namedSamples(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((sample) => {
    const { param_name: name, example } = asObject(sample) ?? {};
    return typeof name === 'string' && example !== undefined && example !== '' ? [name] : [];
  });
}

/** Accepts one inner array, a bare array and, for one variable, a bare string. */
function positionalSamples(value: unknown): unknown[] {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return [];
  return Array.isArray(value[0]) ? value[0] : value;
}
