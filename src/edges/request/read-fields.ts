/** Members that have members of their own and lead to no other object; only these may have braces. */
const STRUCTURED: ReadonlySet<string> = new Set([
  'analytics',
  'call_analytics',
  'conversation_analytics',
  'conversational_automation',
  'events',
  'health_status',
  'official_business_account',
  'preview',
  'pricing_analytics',
  'quality_score',
  'template_analytics',
  'throughput',
  'validation_errors',
]);

/** A member with its modifiers, such as `analytics.start(1).end(2)`, and the members wanted of it. */
const ENTRY = /^([a-z][a-z0-9_]*)((?:\.[a-z_]+\([^(){}]*\))*)(\{[a-z0-9_,{}\s]*\})?$/;

/**
 * Returns the part of `fields` that names `allowed` members, as the parameter to send; `id` if nothing is left. Members that are left out
 * do not exist for the caller: a member that leads to another object would show what the key's organization does not own.
 */
export function readFields(text: string, allowed: readonly string[]): string {
  const kept = splitFields(text).filter((entry) => {
    const [, name = '', , braces] = ENTRY.exec(entry) ?? [];
    return allowed.includes(name) && (braces === undefined || STRUCTURED.has(name));
  });
  return kept.length === 0 ? 'id' : kept.join(',');
}

/** Splits `fields` at the commas outside of braces, parentheses and brackets. */
function splitFields(text: string): string[] {
  const entries: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at <= text.length; at += 1) {
    const character = text[at];
    if (character === '{' || character === '(' || character === '[') depth += 1;
    else if (character === '}' || character === ')' || character === ']') depth -= 1;
    else if (character === undefined || (character === ',' && depth <= 0)) {
      entries.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return entries.filter((entry) => entry !== '');
}
