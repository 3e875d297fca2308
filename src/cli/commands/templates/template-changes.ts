import { inOrder, isMembers } from './exact-json.ts';
import { type TemplateContent, withSamplesOf } from './template-file.ts';

/** One place in which a file differs from the template. */
export interface Change {
  /** Such as `components[1].text`. */
  path: string;
  /** JSON of the template's value; undefined if it has none. */
  from: string | undefined;
  /** JSON of the file's value; undefined if it has none. */
  to: string | undefined;
}

/** Members of which the platform ignores the case. */
const CASELESS = new Set(['category', 'parameter_format', 'type', 'format']);

/**
 * Returns the places in which a file differs from the template. Sample files are left out, and so are members beside the components that the
 * file does not have: a push leaves them as they are.
 */
export function changesOf(template: TemplateContent, file: TemplateContent): Change[] {
  return Object.keys(file).flatMap((name) =>
    differences(name, template[name], withSamplesOf(file[name], template[name])),
  );
}

function differences(path: string, from: unknown, to: unknown): Change[] {
  if (Array.isArray(from) && Array.isArray(to)) {
    const places = Array.from({ length: Math.max(from.length, to.length) }, (_, at) => at);
    return places.flatMap((at) => differences(`${path}[${at}]`, from[at], to[at]));
  }
  if (isMembers(from) && isMembers(to)) {
    const names = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...names].flatMap((name) => differences(`${path}.${name}`, from[name], to[name]));
  }
  const name = path.slice(path.lastIndexOf('.') + 1);
  const [before, after] = [jsonOf(from), jsonOf(to)];
  const isSame = CASELESS.has(name) ? before?.toUpperCase() === after?.toUpperCase() : before === after;
  return isSame ? [] : [{ path, from: before, to: after }];
}

function jsonOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(inOrder(value, []));
}
