import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DataUriError, readDataUri } from './data-uri.ts';

/** Reads `text` in chunks of `chunkBytes`; returns the contents, or the reason of a refusal. */
async function read(
  text: string,
  chunkBytes = 7,
): Promise<{ declaredMime: string | undefined; contents: Buffer } | 'none' | 'bad'> {
  const uri = await readDataUri(chunksOf(Buffer.from(text), chunkBytes));
  if (uri === undefined) return 'none';
  try {
    const contents: Buffer[] = [];
    for await (const chunk of uri.contents) contents.push(chunk);
    return { declaredMime: uri.declaredMime, contents: Buffer.concat(contents) };
  } catch (error) {
    assert.ok(error instanceof DataUriError);
    return 'bad';
  }
}

async function* chunksOf(bytes: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

test('data URI: any contents, encoding and chunks → contents unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(80),
      fc.integer({ min: 1, max: 100 }),
      async (bytes, width, chunkBytes) => {
        const base64 = Buffer.from(bytes).toString('base64');
        const forms = [
          base64,
          base64.replaceAll('+', ' '),
          base64.replace(/=+$/, ''),
          base64.replace(/[+/=]/g, encodeURIComponent),
          base64.replace(/[+/=]/g, (char) => encodeURIComponent(char).toLowerCase()),
          base64.replace(new RegExp(`(.{${width + 1}})`, 'g'), '$1\r\n'),
        ];
        for (const form of forms) {
          const result = await read(`data:image/png;base64,${form}`, chunkBytes);
          assert.ok(typeof result === 'object', `${form}: ${JSON.stringify(result)}`);
          assert.ok(result.contents.equals(bytes), form);
        }
      },
    ),
  );
});

test('data URI: type with parameters → returned with its parameters', async () => {
  for (const mime of ['image/png', 'text/plain;charset=utf-8', 'audio/ogg; codecs=opus', 'application/vnd.ms-excel']) {
    const result = await read(`DATA:${mime};BASE64,QQ==`);
    assert.deepEqual(result, { declaredMime: mime, contents: Buffer.from('A') });
  }
  assert.deepEqual(await read('data:image/png;base64,'), { declaredMime: 'image/png', contents: Buffer.alloc(0) });
});

test('data URI: commas in parameters → payload begins behind ;base64', async () => {
  for (const mime of [
    'video/mp4;codecs=vp9,opus',
    'video/mp4; codecs=avc1.42E01E,mp4a.40.2',
    'video/mp4;codecs="avc1.42E01E, mp4a.40.2"',
    'text/plain;name=";base64,QUJD";charset=utf-8',
    'text/plain;name="a\\";base64,b"',
    'audio/ogg;codecs=opus;x=a,b,,c',
  ]) {
    for (const chunkBytes of [1, 7, 4096]) {
      const result = await read(`data:${mime};base64,QQ==`, chunkBytes);
      assert.deepEqual(result, { declaredMime: mime, contents: Buffer.from('A') }, mime);
    }
  }
});

test('data URI: header of nothing but delimiters → no data URI', async () => {
  for (const pattern of ['""', ';"', ';', ',', ';,', '";,', '\\"', ' ', ';base64', ';base64"']) {
    assert.equal(await read(`data:a/b${pattern.repeat(500)}`, 4096), 'none', pattern);
  }
});

test('data URI: no type, or spaces around its parts → accepted', async () => {
  const contents = Buffer.from('A');
  for (const text of ['data:;base64,QQ==', 'data:; base64,QQ==', ' DATA: ;BASE64 ,QQ==']) {
    assert.deepEqual(await read(text), { declaredMime: undefined, contents }, text);
  }
  assert.deepEqual(await read('data:;charset=utf-8;base64,QQ=='), { declaredMime: undefined, contents });
  for (const text of ['data: image/png;base64,QQ==', '\r\ndata:image/png ; base64,QQ==']) {
    assert.deepEqual(await read(text), { declaredMime: 'image/png', contents }, text);
  }
});

test('data URI: other start → no data URI', async () => {
  for (const text of [
    '',
    'QQ==',
    'data:',
    'data:,x',
    'data:image;base64,QQ==',
    'data:image/png,QQ==',
    'data:image/png;base64',
    'data:image/png;base64;x=y,QQ==',
    'data:image/png;base64x,QQ==',
    'data:image/png,x;base64,QQ==',
    'data:image/png;x=";base64,QQ==',
    'data:image/png;x=";base64,QQ=="',
    `data:image/png;x=,${','.repeat(600)};base64,QQ==`,
    'xdata:image/png;base64,QQ==',
    `data:image/png;${'x'.repeat(600)};base64,QQ==`,
    'https://example.com/a.png',
  ]) {
    assert.equal(await read(text), 'none', text.slice(0, 60));
  }
});

test('data URI: payload is no base64 → refused, with any chunks', async () => {
  for (const payload of [
    'Q',
    'QQQQQ',
    'QQ=',
    'QQ===',
    'QQ==QQ==',
    'QQQQ=',
    'QQQQ==',
    'Q-_Q',
    'QQ\tQQ',
    'QQ%00',
    'QQ%2',
    'é',
    '=',
    `QQ==${'A'.repeat(500)}`,
    `${'A'.repeat(400)}!`,
  ]) {
    for (const chunkBytes of [1, 2, 3, 5, 64, 4096]) {
      assert.equal(await read(`data:image/png;base64,${payload}`, chunkBytes), 'bad', `${payload} by ${chunkBytes}`);
    }
  }
});

test('data URI: endless padding → refused early', async () => {
  let chunks = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.from('data:image/png;base64,QQ');
    for (; chunks < 1_000; chunks += 1) yield Buffer.from('====');
  }
  const uri = await readDataUri(endless());
  assert.ok(uri !== undefined);
  await assert.rejects(Array.fromAsync(uri.contents), DataUriError);
  assert.ok(chunks < 10, `${chunks} chunks read`);
});
