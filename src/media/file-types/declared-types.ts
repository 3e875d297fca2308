import { UNSPECIFIC_TYPES } from '../../core/unspecific-types.ts';
import { COMPOUND_OFFICE, findMediaType, MEDIA_TYPES, type MimeType, PACKAGED_OFFICE } from './media-type-table.ts';

/** Other spellings of the table's types, as browsers, phones, libmagic and operating systems declare them. */
const ALIASES: Readonly<Record<MimeType, readonly string[]>> = {
  'image/jpeg': [
    'image/jpg',
    'image/pjpeg',
    'image/jpe',
    'image/jfif',
    'image/x-jpg',
    'image/x-jpeg',
    'image/x-citrix-jpeg',
  ],
  'image/png': ['image/x-png', 'image/apng', 'image/vnd.mozilla.apng', 'image/x-citrix-png'],
  'image/webp': ['image/x-webp'],
  'audio/aac': [
    'audio/x-aac',
    'audio/aacp',
    'audio/x-hx-aac-adts',
    'audio/adts',
    'audio/x-adts',
    'audio/vnd.dlna.adts',
  ],
  'audio/amr': ['audio/x-amr', 'audio/amr-nb', 'audio/amr-wb', 'audio/x-amr-nb', 'audio/x-amr-wb'],
  'audio/mpeg': [
    'audio/mp3',
    'audio/x-mp3',
    'audio/x-mpeg',
    'audio/mpeg3',
    'audio/x-mpeg3',
    'audio/x-mpeg-3',
    'audio/mpg',
    'audio/x-mpg',
    'audio/mpegaudio',
    'audio/x-mpegaudio',
  ],
  'audio/mp4': [
    'audio/m4a',
    'audio/x-m4a',
    'audio/m4b',
    'audio/x-m4b',
    'audio/x-mp4',
    'audio/mp4a-latm',
    'audio/3gp',
    'audio/3gpp',
    'audio/3gpp2',
  ],
  'audio/ogg': [
    'audio/x-ogg',
    'application/ogg',
    'application/x-ogg',
    'audio/opus',
    'audio/x-opus',
    'audio/x-opus+ogg',
  ],
  'video/mp4': ['video/x-mp4', 'video/m4v', 'video/x-m4v', 'video/mpeg4'],
  'video/3gpp': ['video/3gp', 'video/x-3gpp', 'video/3gpp2', 'video/3g2'],
  'text/plain': ['application/txt', 'text/x-plain'],
  'application/pdf': ['application/x-pdf', 'application/acrobat', 'application/vnd.pdf', 'text/pdf', 'text/x-pdf'],
  'application/msword': [
    'application/x-msword',
    'application/vnd.msword',
    'application/ms-word',
    'application/word',
    'application/doc',
  ],
  'application/vnd.ms-excel': [
    'application/msexcel',
    'application/x-msexcel',
    'application/x-ms-excel',
    'application/ms-excel',
    'application/excel',
    'application/x-excel',
    'application/xls',
    'application/x-xls',
    'application/x-dos_ms_excel',
  ],
  'application/vnd.ms-powerpoint': [
    'application/mspowerpoint',
    'application/ms-powerpoint',
    'application/x-mspowerpoint',
    'application/powerpoint',
    'application/ppt',
  ],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['application/docx'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['application/xlsx'],
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': ['application/pptx'],
};

const BY_ALIAS: ReadonlyMap<string, MimeType> = new Map(
  MEDIA_TYPES.flatMap(({ mimeType }) => ALIASES[mimeType].map((alias) => [alias, mimeType] as const)),
);

const ALL: readonly MimeType[] = MEDIA_TYPES.map(({ mimeType }) => mimeType);
const OFFICE = [...COMPOUND_OFFICE, ...PACKAGED_OFFICE];

/** Types that declare a container or a family: the file's name and contents decide which of its types it is. */
const VAGUE: ReadonlyMap<string, readonly MimeType[]> = new Map([
  ...UNSPECIFIC_TYPES.map((mimeType) => [mimeType, ALL] as const),
  ...['image', 'audio', 'video', 'text', 'application'].map(
    (family) => [`${family}/*`, ALL.filter((mimeType) => mimeType.startsWith(`${family}/`))] as const,
  ),
  ['application/mp4', ['video/mp4', 'audio/mp4']],
  ['application/zip', PACKAGED_OFFICE],
  ['application/x-zip', PACKAGED_OFFICE],
  ['application/x-zip-compressed', PACKAGED_OFFICE],
  ['application/vnd.openxmlformats', PACKAGED_OFFICE],
  ['application/vnd.openxmlformats-officedocument', PACKAGED_OFFICE],
  ['application/encrypted', OFFICE],
  ['application/cdfv2', OFFICE],
  ['application/cdfv2-encrypted', OFFICE],
  ['application/x-cdf', OFFICE],
  ['application/x-cfb', OFFICE],
  ['application/x-ole-storage', OFFICE],
  ['application/msoffice', OFFICE],
  ['application/vnd.ms-office', OFFICE],
]);

/**
 * Returns the essence of a MIME type: lower case, without parameters, aliases replaced. Parameters are removed, because the upstream
 * refuses them. `undefined` if the text is no MIME type at all.
 */
export function normalizeMimeType(text: string): string | undefined {
  const essence = text.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!/^[\w.+*-]+\/[\w.+*-]+$/.test(essence)) return undefined;
  return BY_ALIAS.get(essence) ?? essence;
}

/** Returns the types that a normalized MIME type can stand for: one, or all of a container or family; none if it is not supported. */
export function listDeclaredTypes(mimeType: string | undefined): readonly MimeType[] {
  if (mimeType === undefined) return ALL;
  const exact = findMediaType(mimeType)?.mimeType;
  return exact === undefined ? (VAGUE.get(mimeType) ?? []) : [exact];
}

/** Returns true if a declared type says anything about the contents. */
export function isTelling(declaredMime: string | undefined): boolean {
  const mimeType = normalizeMimeType(declaredMime ?? '');
  return mimeType !== undefined && !UNSPECIFIC_TYPES.includes(mimeType);
}
