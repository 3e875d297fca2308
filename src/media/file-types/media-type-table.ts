/** Kind of message that a file is sent as. A WebP image can only be sent as a sticker. */
export type MediaFamily = 'image' | 'sticker' | 'audio' | 'video' | 'document';

interface MediaTypeRow {
  mimeType: string;
  family: MediaFamily;
  /** Extensions without dot, lower case; the usual one first. */
  extensions: readonly string[];
}

/**
 * Every type that a message can be sent with. The upstream refuses all others at upload, except `audio/opus`: it accepts such a file and
 * fails every message with it.
 */
export const MEDIA_TYPES = [
  { mimeType: 'image/jpeg', family: 'image', extensions: ['jpg', 'jpeg', 'jpe', 'jfif'] },
  { mimeType: 'image/png', family: 'image', extensions: ['png', 'apng'] },
  { mimeType: 'image/webp', family: 'sticker', extensions: ['webp'] },
  { mimeType: 'audio/aac', family: 'audio', extensions: ['aac', 'adts'] },
  { mimeType: 'audio/amr', family: 'audio', extensions: ['amr', 'awb'] },
  { mimeType: 'audio/mpeg', family: 'audio', extensions: ['mp3'] },
  { mimeType: 'audio/mp4', family: 'audio', extensions: ['m4a', 'm4b'] },
  { mimeType: 'audio/ogg', family: 'audio', extensions: ['ogg', 'oga', 'opus'] },
  { mimeType: 'video/mp4', family: 'video', extensions: ['mp4', 'm4v'] },
  { mimeType: 'video/3gpp', family: 'video', extensions: ['3gp', '3gpp', '3g2'] },
  {
    mimeType: 'text/plain',
    family: 'document',
    extensions: ['txt', 'text', 'csv', 'tsv', 'log', 'json', 'xml', 'vcf', 'ics', 'md', 'yaml', 'yml', 'srt'],
  },
  { mimeType: 'application/pdf', family: 'document', extensions: ['pdf'] },
  { mimeType: 'application/msword', family: 'document', extensions: ['doc'] },
  { mimeType: 'application/vnd.ms-excel', family: 'document', extensions: ['xls'] },
  { mimeType: 'application/vnd.ms-powerpoint', family: 'document', extensions: ['ppt', 'pps'] },
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

/** Office types that are compound files. */
export const COMPOUND_OFFICE: readonly MimeType[] = [
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
];

/** Office types that are ZIP archives. Behind a password they are compound files, too. */
export const PACKAGED_OFFICE: readonly MimeType[] = MEDIA_TYPES.map(({ mimeType }) => mimeType).filter((mimeType) =>
  mimeType.includes('.openxmlformats-'),
);

const KIB = 1024;
const MIB = 1024 * KIB;

/** Largest file in bytes per family. Uses the larger of the two readings of "MB", so that no file is refused that the upstream accepts. */
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

const BY_MIME_TYPE: ReadonlyMap<string, MediaType> = new Map(MEDIA_TYPES.map((row) => [row.mimeType, row]));

/** Extensions that name a second type: the `possible` types of the contents decide between them. */
const CONTAINER_EXTENSIONS: readonly (readonly [extension: string, MimeType])[] = [
  ['mp4', 'audio/mp4'],
  ['3gp', 'audio/mp4'],
  ['3gpp', 'audio/mp4'],
  ['3g2', 'audio/mp4'],
];

const BY_EXTENSION = new Map<string, MimeType[]>();
for (const { extensions, mimeType } of MEDIA_TYPES)
  for (const extension of extensions) BY_EXTENSION.set(extension, [mimeType]);
for (const [extension, mimeType] of CONTAINER_EXTENSIONS) BY_EXTENSION.get(extension)?.push(mimeType);

/** Returns the table's row for a normalized MIME type. */
export function findMediaType(mimeType: string): MediaType | undefined {
  return BY_MIME_TYPE.get(mimeType);
}

/** Returns the types that a file name's extension stands for, in any letter case, the usual one first; empty if the table has none. */
export function listTypesOfFileName(fileName: string): readonly MimeType[] {
  const extension = /\.([^.]+)$/.exec(fileName)?.[1];
  return BY_EXTENSION.get(extension?.toLowerCase() ?? '') ?? [];
}
