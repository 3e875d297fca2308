/** What a file is sent as. A WebP image can be sent as nothing but a sticker. */
export type MediaFamily = 'image' | 'sticker' | 'audio' | 'video' | 'document';

interface MediaTypeRow {
  mimeType: string;
  family: MediaFamily;
  /** Without dot, lower case; the usual one first. */
  extensions: readonly string[];
}

/** Every type the upstream takes. It refuses all others at upload. */
export const MEDIA_TYPES = [
  { mimeType: 'image/jpeg', family: 'image', extensions: ['jpg', 'jpeg'] },
  { mimeType: 'image/png', family: 'image', extensions: ['png'] },
  { mimeType: 'image/webp', family: 'sticker', extensions: ['webp'] },
  { mimeType: 'audio/aac', family: 'audio', extensions: ['aac'] },
  { mimeType: 'audio/amr', family: 'audio', extensions: ['amr'] },
  { mimeType: 'audio/mpeg', family: 'audio', extensions: ['mp3'] },
  { mimeType: 'audio/mp4', family: 'audio', extensions: ['m4a'] },
  { mimeType: 'audio/ogg', family: 'audio', extensions: ['ogg', 'oga'] },
  { mimeType: 'audio/opus', family: 'audio', extensions: ['opus'] },
  { mimeType: 'video/mp4', family: 'video', extensions: ['mp4'] },
  { mimeType: 'video/3gpp', family: 'video', extensions: ['3gp', '3gpp'] },
  { mimeType: 'text/plain', family: 'document', extensions: ['txt'] },
  { mimeType: 'application/pdf', family: 'document', extensions: ['pdf'] },
  { mimeType: 'application/msword', family: 'document', extensions: ['doc'] },
  { mimeType: 'application/vnd.ms-excel', family: 'document', extensions: ['xls'] },
  { mimeType: 'application/vnd.ms-powerpoint', family: 'document', extensions: ['ppt'] },
  {
    mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    family: 'document',
    extensions: ['docx'],
  },
  {
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    family: 'document',
    extensions: ['xlsx'],
  },
  {
    mimeType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    family: 'document',
    extensions: ['pptx'],
  },
] as const satisfies readonly MediaTypeRow[];

export type MediaType = (typeof MEDIA_TYPES)[number];
export type MimeType = MediaType['mimeType'];

const KIB = 1024;
const MIB = 1024 * KIB;

/** Largest file per family. Of the two readings of "MB" the larger one: what the upstream takes is never refused. */
export const BYTES_MAX: Readonly<
  Record<Exclude<MediaFamily, 'sticker'> | 'staticSticker' | 'animatedSticker', number>
> = {
  image: 5 * MIB,
  staticSticker: 100 * KIB,
  animatedSticker: 500 * KIB,
  audio: 16 * MIB,
  video: 16 * MIB,
  document: 100 * MIB,
};

/** Other spellings of types in the table, as browsers, phones and operating systems declare them. */
const ALIASES: Readonly<Record<string, MimeType>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'audio/mp3': 'audio/mpeg',
  'audio/x-mp3': 'audio/mpeg',
  'audio/x-mpeg': 'audio/mpeg',
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-aac': 'audio/aac',
  'audio/aacp': 'audio/aac',
  'audio/x-hx-aac-adts': 'audio/aac',
  'audio/x-amr': 'audio/amr',
  'audio/x-ogg': 'audio/ogg',
  'application/ogg': 'audio/ogg',
  'audio/x-opus': 'audio/opus',
  'video/3gp': 'video/3gpp',
  'application/x-pdf': 'application/pdf',
};

const BY_MIME_TYPE: ReadonlyMap<string, MediaType> = new Map(MEDIA_TYPES.map((row) => [row.mimeType, row]));
const BY_EXTENSION: ReadonlyMap<string, MediaType> = new Map(
  MEDIA_TYPES.flatMap((row) => row.extensions.map((extension) => [extension, row] as const)),
);

/**
 * The essence of a MIME type: lower case, without parameters, aliases replaced. The upstream refuses parameters.
 * `undefined` when the text is no MIME type at all.
 */
export function normalizeMimeType(text: string): string | undefined {
  const essence = text.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!/^[\w.+*-]+\/[\w.+*-]+$/.test(essence)) return undefined;
  return ALIASES[essence] ?? essence;
}

/** The table's row for a normalised MIME type. */
export function findMediaType(mimeType: string): MediaType | undefined {
  return BY_MIME_TYPE.get(mimeType);
}

/** The table's row for a file name's extension, in any letter case. */
export function findMediaTypeByFileName(fileName: string): MediaType | undefined {
  const extension = /\.([^.]+)$/.exec(fileName)?.[1];
  return extension === undefined ? undefined : BY_EXTENSION.get(extension.toLowerCase());
}
