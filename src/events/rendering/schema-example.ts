import type { TSchema } from 'typebox';

interface SchemaView {
  examples?: unknown[];
  const?: unknown;
  anyOf?: TSchema[];
  type?: string;
  properties?: Record<string, TSchema>;
  required?: string[];
}

/**
 * Returns an example of a schema, put together from the examples of its members. An optional member without an example is left out.
 */
export function exampleOf(schema: TSchema): unknown {
  const { examples, const: only, anyOf, type, properties = {}, required = [] } = schema as SchemaView;
  if (examples?.[0] !== undefined) return examples[0];
  if (only !== undefined) return only;
  if (anyOf?.[0] !== undefined) return exampleOf(anyOf[0]);
  if (type !== 'object') return undefined;
  const members = Object.entries(properties)
    .map(([name, member]) => [name, exampleOf(member)] as const)
    .filter(([name, value]) => value !== undefined || required.includes(name));
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
