import { isObject, type JsonPath } from '../../core/json/index.ts';

/** One value of an `example.header_handle`, and its path. */
export interface SampleMedia {
  path: JsonPath;
  /** A URL to fetch or a handle: see `isSampleUrl`. */
  value: string;
  kind: SampleKind;
}

/** File types and maximum size of a sample for one header format. */
export interface SampleKind {
  types: readonly SampleType[];
  bytesMax: number;
}

/** File types that the upstream's sample uploads accept. */
export type SampleType = 'image/jpeg' | 'image/png' | 'video/mp4' | 'application/pdf';

const MIB = 1024 * 1024;
const IMAGE: SampleKind = { types: ['image/jpeg', 'image/png'], bytesMax: 5 * MIB };
const VIDEO: SampleKind = { types: ['video/mp4'], bytesMax: 16 * MIB };
const DOCUMENT: SampleKind = { types: ['application/pdf'], bytesMax: 100 * MIB };
/** Applies to headers of an unknown format. */
const ANY: SampleKind = mergeKinds([IMAGE, VIDEO, DOCUMENT]);
const KINDS: ReadonlyMap<string, SampleKind> = new Map([
  ['IMAGE', IMAGE],
  ['VIDEO', VIDEO],
  ['GIF', VIDEO],
  ['DOCUMENT', DOCUMENT],
]);

/**
 * True if a value of `example.header_handle` is a URL to fetch and not a handle (api-rules#templates): it starts with a scheme or with `/`,
 * or contains white space.
 */
export function isSampleUrl(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(value) || value.startsWith('/') || /\s/.test(value);
}

/**
 * Lists the sample media below `components`, at every `example.header_handle`: in headers, in the cards of a carousel, in unknown component
 * types. A single string counts like an array of one. `path` is the path of `components`.
 */
export function listSampleMedia(components: unknown, path: JsonPath): SampleMedia[] {
  if (Array.isArray(components)) return components.flatMap((item, index) => listSampleMedia(item, [...path, index]));
  if (!isObject(components)) return [];
  return [
    ...ownSampleMedia(components, path),
    ...Object.entries(components).flatMap(([key, member]) => listSampleMedia(member, [...path, key])),
  ];
}

/** Returns the types and size allowed for a URL that is the sample of several headers. */
export function mergeKinds(kinds: readonly SampleKind[]): SampleKind {
  return {
    types: [...new Set(kinds.flatMap(({ types }) => types))],
    // Not `Math.max(...)`: a body can hold more samples than a call can have arguments.
    bytesMax: kinds.reduce((most, { bytesMax }) => Math.max(most, bytesMax), 0),
  };
}

/** Spells a path as `components[0].example.header_handle[0]`. */
export function spellPath(path: JsonPath): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}

function ownSampleMedia(component: Record<string, unknown>, path: JsonPath): SampleMedia[] {
  const { example, format } = component;
  if (!isObject(example) || !Object.hasOwn(example, 'header_handle')) return [];
  const kind = KINDS.get(typeof format === 'string' ? format.toUpperCase() : '') ?? ANY;
  const place = [...path, 'example', 'header_handle'];
  const value = example.header_handle;
  if (typeof value === 'string') return [{ path: place, value, kind }];
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index) =>
    typeof item === 'string' ? [{ path: [...place, index], value: item, kind }] : [],
  );
}
