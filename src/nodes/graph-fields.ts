import { fieldNames } from '../http/index.ts';

/**
 * A node as the Graph API would show it: the members named by `fields`, or else `defaults`. What is asked for and not there is left
 * out; `id` always stays.
 */
export function selectFields(
  node: Readonly<Record<string, unknown>> & { id: string },
  defaults: readonly string[],
  fields: string | undefined,
): Record<string, unknown> & { id: string } {
  const wanted = fields ? fieldNames(fields) : defaults;
  const shown = wanted.filter((name) => Object.hasOwn(node, name) && node[name] !== null);
  return { ...Object.fromEntries(shown.map((name) => [name, node[name]])), id: node.id };
}
