import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentsOf, makeCompoundFile, makeMovie, makeOgg, SAMPLES } from '../../../test/support/media-samples.ts';
import { explainRefusal } from './media-refusal.ts';
import { sniffMediaType } from './media-signatures.ts';
import { decideMediaType } from './media-type.ts';

const GIF = Buffer.from('GIF89a\u0001\0\u0001\0\0\0\0;');
const MOV = makeMovie('qt  ', [['vide', 9]]);

async function explain(file: Buffer, claim: { declaredMime?: string; fileName?: string }): Promise<string> {
  const facts = { ...claim, bytes: file.length, sniffed: await sniffMediaType(contentsOf(file)) };
  const decision = decideMediaType(facts);
  assert.equal(decision.kind, 'invalid');
  return decision.kind === 'invalid' ? explainRefusal(decision, facts) : '';
}

test('refusal: any kind → names the claim, the contents, and a remedy or the supported types', async () => {
  const locked = makeCompoundFile(['EncryptionInfo', 'EncryptedPackage']);
  const cases: [file: Buffer, claim: { declaredMime?: string; fileName?: string }, words: RegExp][] = [
    [
      GIF,
      { declaredMime: 'image/gif' },
      /^Files of the type image\/gif are not supported.*\(\.gif\).*Supported are JPEG/,
    ],
    [
      GIF,
      { declaredMime: 'image/jpeg' },
      /^The file is declared as image\/jpeg, but its contents are image\/gif.*Supported/,
    ],
    [GIF, { fileName: 'a.jpg' }, /^The file is named as image\/jpeg, but its contents are image\/gif/],
    [
      GIF,
      { fileName: 'a.gif' },
      /^The contents of the file are image\/gif \(\.gif\), which is not supported\. Supported/,
    ],
    [MOV, { declaredMime: 'video/mp4' }, /but its contents are video\/quicktime \(\.mov\), which is not supported/],
    [SAMPLES['image/png'], { declaredMime: 'image/jpeg' }, /but its contents are image\/png\. Declare that/],
    [
      SAMPLES['image/png'],
      { declaredMime: 'application/zip' },
      /declared as application\/zip; its contents are image\/png/,
    ],
    [
      SAMPLES['application/pdf'],
      { declaredMime: 'image/*', fileName: 'a.pdf' },
      /declared as image\/\*; .*application\/pdf/,
    ],
    [SAMPLES['text/plain'], { declaredMime: 'text/csv' }, /text\/csv are not supported.*text\/plain\. Declare that/],
    [
      makeOgg(Buffer.from('\u0001vorbis')),
      { fileName: 'a.ogg' },
      /contents are Ogg Vorbis, .*Ogg audio must be Opus\.$/,
    ],
    [
      locked,
      { fileName: 'a.bin' },
      /contents of the file are .*wordprocessingml.*, .* or .*presentation\. Declare which/,
    ],
    [locked, { declaredMime: 'application/encrypted' }, /^A file of the type application\/encrypted can be .* or /],
    [
      Buffer.alloc(100),
      { declaredMime: 'image/jpeg' },
      /^The file is declared as image\/jpeg, but its contents are not of that type\.$/,
    ],
    [
      Buffer.alloc(100),
      { declaredMime: 'image/*' },
      /^The file is declared as image\/\*; its contents are not of that type\.$/,
    ],
    [Buffer.alloc(100), {}, /not declared and cannot be told .* Supported are/],
    [Buffer.alloc(0), {}, /^The file is empty\.$/],
  ];
  for (const [file, claim, words] of cases) {
    const message = await explain(file, claim);
    assert.match(message, words);
    assert.match(message, /\.$/);
  }
});
