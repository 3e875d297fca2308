import { fieldNames } from '../http/index.ts';

/**
 * Returns a node as the Graph API shows it: the members named by `fields`, or `defaults` without it. Requested members that do not exist
 * are left out; `id` is always included.
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
