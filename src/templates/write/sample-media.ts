import { isObject, type JsonPath } from '../../core/json/index.ts';

/** One value of an `example.header_handle`, and where it stands. */
export interface SampleMedia {
  path: JsonPath;
  /** A URL to fetch or a handle: see `isSampleUrl`. */
  value: string;
  kind: SampleKind;
}

/** What the sample of one format of header may be. */
export interface SampleKind {
  types: readonly SampleType[];
  bytesMax: number;
}

/** The file types the upstream's sample uploads take. */
export type SampleType = 'image/jpeg' | 'image/png' | 'video/mp4' | 'application/pdf';

const MIB = 1024 * 1024;
const IMAGE: SampleKind = { types: ['image/jpeg', 'image/png'], bytesMax: 5 * MIB };
const VIDEO: SampleKind = { types: ['video/mp4'], bytesMax: 16 * MIB };
const DOCUMENT: SampleKind = { types: ['application/pdf'], bytesMax: 100 * MIB };
/** For a header of a format nobody here knows. */
const ANY: SampleKind = mergeKinds([IMAGE, VIDEO, DOCUMENT]);
const KINDS: ReadonlyMap<string, SampleKind> = new Map([
  ['IMAGE', IMAGE],
  ['VIDEO', VIDEO],
  ['GIF', VIDEO],
  ['DOCUMENT', DOCUMENT],
]);

/**
 * Whether a value of `example.header_handle` counts as a URL to fetch and not as a handle (api-rules#templates): it starts with a scheme or
 * with `/`, or holds white space.
 */
export function isSampleUrl(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(value) || value.startsWith('/') || /\s/.test(value);
}

/**
 * The sample media below `components`, wherever an `example.header_handle` stands: in headers, in the cards of a carousel, in
 * component types nobody here knows. A single string counts like an array that holds it. `path` is where `components` stands.
 */
export function listSampleMedia(components: unknown, path: JsonPath): SampleMedia[] {
  if (Array.isArray(components)) return components.flatMap((item, index) => listSampleMedia(item, [...path, index]));
  if (!isObject(components)) return [];
  return [
    ...ownSampleMedia(components, path),
    ...Object.entries(components).flatMap(([key, member]) => listSampleMedia(member, [...path, key])),
  ];
}

/** What a URL may lead to that is the sample for several headers. */
export function mergeKinds(kinds: readonly SampleKind[]): SampleKind {
  return {
    types: [...new Set(kinds.flatMap(({ types }) => types))],
    // As arguments, as many as fit into a body would be too many.
    bytesMax: kinds.reduce((most, { bytesMax }) => Math.max(most, bytesMax), 0),
  };
}

/** Where a path leads, as a person would write it: `components[0].example.header_handle[0]`. */
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
