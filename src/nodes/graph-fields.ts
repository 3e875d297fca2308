/**
 * A node as the Graph API would show it: the members named by `fields` (comma separated; what stands in braces or behind a
 * dot is not looked at), or else `defaults`. What is asked for and not there is left out; `id` always stays.
 */
export function selectFields(
  node: Readonly<Record<string, unknown>> & { id: string },
  defaults: readonly string[],
  fields: string | undefined,
): Record<string, unknown> {
  const wanted = fields ? namesIn(fields) : defaults;
  const shown = wanted.filter((name) => Object.hasOwn(node, name) && node[name] !== null);
  return { ...Object.fromEntries(shown.map((name) => [name, node[name]])), id: node.id };
}

function namesIn(fields: string): string[] {
  let depth = 0;
  const topLevel = [...fields].filter((character) => {
    if (character === '}') depth = Math.max(0, depth - 1);
    const isTopLevel = depth === 0 && character !== '}';
    if (character === '{') depth += 1;
    return isTopLevel && character !== '{';
  });
  return topLevel
    .join('')
    .split(',')
    .map((name) => name.trim().replace(/[.(].*$/, ''));
}
