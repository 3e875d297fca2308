import { randomBytes } from 'node:crypto';
import { makeCompoundFile, makeOffice } from '../support/media-samples.ts';

/** The expected result for a file: the type of its upload, or words of its refusal. */
export type Expected = string | RegExp;

export interface Expectation {
  /** Without a declared type and a name. */
  alone: Expected;
  /** With its own name, undeclared and with `application/octet-stream`. Defaults to `alone`. */
  named?: Expected;
  /** With each of these declared types. A family, as `image/*`, is declared beside the name. */
  declared: Readonly<Record<string, Expected>>;
  /** With declared types but without a name, if that differs. */
  declaredAlone?: Readonly<Record<string, Expected>>;
}

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const SLIDES = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';

/** Uploaded as `type`, with any declaration among `aliases`; refused as `wrong`. */
function is(type: string, aliases: readonly string[] = [], wrong: Readonly<Record<string, RegExp>> = {}): Expectation {
  const right = [type, type.toUpperCase(), `${type}; x="a,b"`, ...aliases];
  const contradiction = { [type.startsWith('image/') ? 'application/pdf' : 'image/jpeg']: /declared as .*contents/ };
  return {
    alone: type,
    declared: { ...Object.fromEntries(right.map((one) => [one, type])), ...contradiction, ...wrong },
  };
}

/** Refused with any declaration, with words that name the type and list the supported ones. */
function refused(words: RegExp, poses: readonly string[]): Expectation {
  const names = new RegExp(`contents.*(?:${words.source}).*(?:Supported are|must be Opus)`, 'is');
  return { alone: names, declared: Object.fromEntries(poses.map((one) => [one, names])) };
}

const jpeg = is('image/jpeg', ['image/jpg', 'image/pjpeg', 'image/*'], { 'image/png': /image\/jpeg/ });
const png = is('image/png', ['image/x-png', 'image/*'], { 'image/webp': /image\/png/ });
const webp = is('image/webp', ['image/*'], { 'image/png': /image\/webp/ });
const m4a = is('audio/mp4', ['audio/x-m4a', 'audio/m4a', 'audio/*', 'audio/mp4a-latm'], { 'audio/aac': /audio\/mp4/ });
const phoneVoice: Expectation = {
  ...m4a,
  declared: { ...m4a.declared, 'audio/3gpp': 'audio/mp4', 'video/3gpp': 'video/3gpp', 'video/mp4': 'video/mp4' },
};
const mp3 = is('audio/mpeg', ['audio/mp3', 'audio/mpeg3', 'audio/x-mpeg-3', 'audio/x-mp3', 'audio/*'], {
  'audio/aac': /audio\/mpeg/,
  'audio/ogg': /audio\/mpeg/,
});
const aac = is('audio/aac', ['audio/x-aac', 'audio/aacp'], { 'audio/mpeg': /audio\/aac/, 'audio/mp4': /audio\/aac/ });
const amr = is('audio/amr', ['audio/amr-wb', 'audio/amr-nb', 'audio/*'], { 'audio/ogg': /audio\/amr/ });
const opus = is('audio/ogg', ['audio/opus', 'audio/x-opus', 'application/ogg', 'audio/ogg; codecs=opus', 'audio/*'], {
  'audio/mpeg': /audio\/ogg/,
});
const mp4 = is('video/mp4', ['video/x-m4v', 'video/mp4;codecs=vp9,opus', 'video/*'], { 'audio/mp4': /video\/mp4/ });
const phoneFilm: Expectation = {
  ...is('video/3gpp', ['video/3gp', 'video/*'], { 'audio/mp4': /video\/3gpp/ }),
};
const pdf = is('application/pdf', ['application/x-pdf'], { 'text/plain': /application\/pdf/ });
const text = is('text/plain', ['text/plain; charset=windows-1252'], {
  'text/csv': /text\/csv are not supported.*text\/plain/,
  'application/pdf': /text\/plain/,
});
const western: Expectation = {
  ...text,
  alone: /are text\/plain, /,
  named: 'text/plain',
  declared: {
    ...text.declared,
    'text/csv': /text\/csv are not supported/,
  },
};
const COMPOUND = ['application/CDFV2', 'application/vnd.ms-office', 'application/x-ole-storage'];
const ZIP = ['application/zip', 'application/x-zip-compressed'];
const doc = is('application/msword', COMPOUND, { [WORD]: /application\/msword/ });
const xls = is('application/vnd.ms-excel', ['application/msexcel', 'application/x-excel', ...COMPOUND]);
const ppt = is('application/vnd.ms-powerpoint', ['application/mspowerpoint', ...COMPOUND]);
const docx = is(WORD, ZIP, { [SHEET]: /wordprocessingml/, 'application/msword': /wordprocessingml/ });
const xlsx = is(SHEET, ZIP, { [WORD]: /spreadsheetml/ });
const pptx = is(SLIDES, ZIP, { [WORD]: /presentationml/ });
const PICTURES = ['image/jpeg', 'image/png', 'image/*'];
const SOUNDS = ['audio/mpeg', 'audio/mp4', 'audio/*'];
const FILMS = ['video/mp4', 'video/3gpp', 'video/*'];

/** One entry for each file that `make.sh` makes. */
export const FILES: Readonly<Record<string, Expectation>> = {
  'plain.jpg': jpeg,
  'bare.jpg': jpeg,
  'exif.jpeg': jpeg,
  'plain.png': png,
  'palette.png': png,
  'animated.png': is('image/png', ['image/apng']),
  'lossy.webp': webp,
  'lossless.webp': webp,
  'extended.webp': webp,
  'animated.webp': webp,
  'android.m4a': phoneVoice,
  'ffmpeg.m4a': m4a,
  'mp4brand.m4a': m4a,
  'book.m4b': m4a,
  'sound.mp4': phoneVoice,
  'faststart.mp4': phoneVoice,
  'fragmented.m4a': m4a,
  'sound.3gp': phoneVoice,
  'sound.3g2': phoneVoice,
  'cover.m4a': m4a,
  'cover-track.mp4': phoneVoice,
  'plain.aac': aac,
  'tagged.aac': aac,
  'bare.mp3': mp3,
  'id3v22.mp3': mp3,
  'id3v23.mp3': mp3,
  'id3v24.mp3': mp3,
  'vbr.mp3': mp3,
  'mpeg2.mp3': mp3,
  'mpeg25.mp3': mp3,
  'lame.mp3': mp3,
  'sox.mp3': mp3,
  'cover.mp3': mp3,
  'zeros-before.mp3': mp3,
  'cut.mp3': mp3,
  'narrow.amr': amr,
  'wide.amr': amr,
  'opusenc.opus': opus,
  'ffmpeg.ogg': opus,
  'recorded.oga': opus,
  'end.mp4': mp4,
  'start.mp4': mp4,
  'frag.mp4': mp4,
  'hevc.mp4': mp4,
  'chrome.mp4': mp4,
  'silent.mp4': mp4,
  'apple.m4v': mp4,
  'phone.3gp': phoneFilm,
  'phone.3g2': phoneFilm,
  'phone.mp4': {
    ...phoneFilm,
    named: 'video/mp4',
    declared: { ...phoneFilm.declared, 'video/*': 'video/mp4', 'video/mp4': 'video/mp4' },
  },
  'utf8.txt': text,
  'table.csv': { ...text, declared: { ...text.declared, 'application/vnd.ms-excel': 'application/vnd.ms-excel' } },
  'bom.csv': text,
  'plain.json': text,
  'plain.vcf': text,
  'utf16.txt': text,
  'utf16be.csv': text,
  'western.txt': western,
  'western.csv': western,
  'western.log': western,
  'western.json': western,
  'western.xml': western,
  'western.vcf': western,
  'western.md': western,
  'colour.log': western,
  'utf8.pdf': pdf,
  'two.pdf': pdf,
  'later.pdf': pdf,
  'utf8.doc': doc,
  'table.xls': xls,
  'plain.ppt': ppt,
  'utf8.docx': docx,
  'table.xlsx': xlsx,
  'plain.pptx': pptx,

  'plain.gif': refused(/gif/, ['image/gif', ...PICTURES]),
  'plain.bmp': refused(/bmp/, ['image/bmp', ...PICTURES]),
  'plain.tiff': refused(/tif/, ['image/tiff', ...PICTURES]),
  'plain.ico': refused(/icon/, PICTURES),
  'plain.psd': refused(/photoshop/, PICTURES),
  'plain.heic': refused(/heic/, ['image/heic', ...PICTURES]),
  'plain.avif': refused(/avif/, ['image/avif', ...PICTURES]),
  'plain.svg': refused(/svg/, ['image/svg+xml', ...PICTURES]),
  'vorbis.ogg': refused(/Vorbis/, ['audio/ogg', 'audio/opus', 'application/ogg', 'audio/vorbis', 'audio/*']),
  'sox.ogg': refused(/Vorbis/, ['audio/ogg', 'audio/*']),
  'flac.oga': refused(/FLAC/, ['audio/ogg', 'audio/opus', 'audio/*']),
  'speex.ogg': refused(/Speex/, ['audio/ogg', 'audio/*']),
  'theora.ogv': refused(/Theora/, ['audio/ogg', 'video/ogg', 'video/mp4']),
  'plain.wav': refused(/wav/, ['audio/wav', 'audio/x-wav', ...SOUNDS]),
  'sound.flac': refused(/flac/, ['audio/flac', ...SOUNDS]),
  'sound.caf': refused(/caf/, ['audio/x-caf', ...SOUNDS]),
  'sound.aiff': refused(/aif/, ['audio/aiff', ...SOUNDS]),
  'sound.au': refused(/\.au/, ['audio/basic', ...SOUNDS]),
  'sound.ac3': refused(/ac3/, ['audio/ac3', ...SOUNDS]),
  'sound.mp2': refused(/mp2/, SOUNDS),
  'sound.wma': refused(/asf/, ['audio/x-ms-wma', ...SOUNDS]),
  'sound.mka': refused(/matroska/, ['audio/x-matroska', ...SOUNDS]),
  'sound.webm': refused(/webm/, ['audio/webm', 'audio/webm;codecs=opus', 'audio/ogg', ...SOUNDS]),
  'plain.mov': refused(/mov/, ['video/quicktime', ...FILMS]),
  'plain.webm': refused(/webm/, ['video/webm', ...FILMS]),
  'plain.mkv': refused(/mkv/, ['video/x-matroska', ...FILMS]),
  'plain.avi': refused(/avi/, ['video/x-msvideo', ...FILMS]),
  'plain.flv': refused(/flv/, ['video/x-flv', ...FILMS]),
  'plain.wmv': refused(/asf/, ['video/x-ms-wmv', ...FILMS]),
  'plain.mpg': refused(/mpg/, ['video/mpeg', ...FILMS]),
  'plain.ts': refused(/mp2t/, ['video/mp2t', ...FILMS, 'audio/mpeg']),
  'raw.h264': refused(/h264/, ['video/h264', ...FILMS]),
  'raw.h265': refused(/h265/, ['video/h265', ...FILMS]),
  'utf8.odt': refused(/\.odt/, ['application/vnd.oasis.opendocument.text', WORD, 'application/pdf', ...ZIP]),
  'table.ods': refused(/\.ods/, ['application/vnd.oasis.opendocument.spreadsheet', SHEET, ...ZIP]),
  'plain.odp': refused(/\.odp/, ['application/vnd.oasis.opendocument.presentation', SLIDES, ...ZIP]),
  'utf8.rtf': refused(/rtf/, ['application/rtf', 'text/rtf', WORD]),
  'plain.zip': refused(/zip/, [WORD, ...ZIP]),
  'plain.gz': refused(/gzip/, ['application/gzip', 'application/pdf']),
  program: refused(/elf/, ['application/x-executable', 'application/pdf', 'text/plain']),
};

const NOTHING_KNOWN = /not of that type|cannot be told/;

/** Refused as every type that has a signature, because it has none. */
const shapeless: Expectation = {
  alone: NOTHING_KNOWN,
  declared: Object.fromEntries(
    [
      'image/jpeg',
      'image/png',
      'image/webp',
      'audio/ogg',
      'audio/amr',
      'audio/aac',
      'audio/mpeg',
      'audio/mp4',
      'video/mp4',
    ]
      .concat(['video/3gpp', 'application/pdf', 'application/msword', 'text/plain', WORD, SHEET, SLIDES])
      .map((type) => [type, NOTHING_KNOWN]),
  ),
};

const locked: Expectation = {
  alone: /can be .*wordprocessingml.*spreadsheetml|wordprocessingml.* or /,
  named: WORD,
  declared: {
    [WORD]: WORD,
    'application/encrypted': WORD,
    'application/CDFV2': WORD,
    'application/pdf': /wordprocessingml/,
  },
  declaredAlone: { 'application/encrypted': /can be .* or /, 'application/CDFV2': /can be .* or / },
};

/** Files that no tool makes. */
export const MADE: Readonly<Record<string, Expectation & { contents: Buffer }>> = {
  zeros: { ...shapeless, contents: Buffer.alloc(100_000) },
  random: { ...shapeless, contents: Buffer.concat([Buffer.from([0]), randomBytes(100_000)]) },
  'locked.docx': { ...locked, contents: makeCompoundFile(['EncryptionInfo', 'EncryptedPackage']) },
  'macros.docm': {
    ...refused(/docm|macro/, [WORD, ...ZIP]),
    contents: makeOffice('word/document.xml', 'wordprocessingml.document', ['word/vbaProject.bin']),
  },
};
