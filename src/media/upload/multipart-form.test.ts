import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FormError } from './form-part.ts';
import { readMultipartForm } from './multipart-form.ts';
import { boundaryOf } from './part-headers.ts';

interface ReadPart {
  name: string;
  fileName: string | undefined;
  contentType: string | undefined;
  contents: string;
}

/** Reads a form cut into chunks; returns its parts, or the reason why it cannot be read. */
async function read(body: string | Buffer, chunkBytes = 11, boundary = 'b'): Promise<ReadPart[] | string> {
  const parts: ReadPart[] = [];
  try {
    for await (const part of readMultipartForm(chunksOf(Buffer.from(body), chunkBytes), boundary)) {
      const chunks: Buffer[] = [];
      for await (const chunk of part.contents) chunks.push(chunk);
      parts.push({ ...part, contents: Buffer.concat(chunks).toString('latin1') });
    }
    return parts;
  } catch (error) {
    assert.ok(error instanceof FormError, String(error));
    return error.message;
  }
}

async function* chunksOf(bytes: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

const field = (name: string, value: string, extra = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${extra}\r\n\r\n${value}\r\n`;

test('multipart form: any contents and chunks → contents unchanged', async () => {
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array).toString('latin1'));
  // Contents that are nearly a boundary are a typical source of parser errors.
  const tricky = fc
    .array(fc.constantFrom('\r', '\n', '\r\n', '-', '--', '\r\n--', '\r\n-', 'b', '\r\n--bound', 'x', '\0'), {
      maxLength: 40,
    })
    .map((pieces) => pieces.join(''))
    .filter((text) => !`\r\n${text}`.includes('\r\n--boundary'));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(bytes, tricky), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 90 }),
      async (values, chunkBytes) => {
        const parts = values.map(
          (value) => `--boundary\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\n${value}\r\n`,
        );
        fc.pre(values.every((value) => !value.includes('\r\n--boundary')));
        const body = Buffer.from(`${parts.join('')}--boundary--\r\n`, 'latin1');
        const read_ = await read(body, chunkBytes, 'boundary');
        assert.ok(Array.isArray(read_), String(read_));
        assert.deepEqual(
          read_.map((part) => part.contents),
          values,
        );
      },
    ),
    { numRuns: 500 },
  );
});

test('multipart part: declared headers → returned; undeclared ones → absent', async () => {
  const body =
    `${field('a', '1')}${field('file', '2', '; filename="x y.png"\r\nContent-Type: image/png')}` +
    `${field('file', '3', `; FileName=plain.txt\r\nCONTENT-TYPE:text/plain; charset=utf-8`)}` +
    `${field('file', '4', `; filename="old.png"; filename*=UTF-8''M%C3%A4rz.png`)}` +
    `${field('file', '5', '; filename="C:\\dir\\a.png"')}${field('file', '6', '; filename="a\\"b\\\\c.png"')}` +
    `${field('file', '7', '; filename=""')}--b--`;
  assert.deepEqual(await read(body), [
    { name: 'a', fileName: undefined, contentType: undefined, contents: '1' },
    { name: 'file', fileName: 'x y.png', contentType: 'image/png', contents: '2' },
    { name: 'file', fileName: 'plain.txt', contentType: 'text/plain; charset=utf-8', contents: '3' },
    { name: 'file', fileName: 'März.png', contentType: undefined, contents: '4' },
    { name: 'file', fileName: 'C:\\dir\\a.png', contentType: undefined, contents: '5' },
    { name: 'file', fileName: 'a"b\\c.png', contentType: undefined, contents: '6' },
    { name: 'file', fileName: '', contentType: undefined, contents: '7' },
  ]);
});

test('multipart form: preamble, padding, folded headers or epilogue → skipped', async () => {
  const body =
    'preamble\r\n--b \t\r\nContent-Disposition: form-data;\r\n name="a"\r\nX-Other: 1\r\n\r\n1\r\n--b--\r\nepilogue --b';
  assert.deepEqual(await read(body), [{ name: 'a', fileName: undefined, contentType: undefined, contents: '1' }]);
  assert.deepEqual(await read('--b--'), []);
});

test('multipart form: parts unread or read in part → the rest is skipped', async () => {
  const big = 'x'.repeat(1000);
  const names: string[] = [];
  const body = chunksOf(Buffer.from(`${field('a', big)}${field('b', big)}${field('c', big)}--b--`), 64);
  for await (const part of readMultipartForm(body, 'b')) {
    names.push(part.name);
    if (part.name !== 'b') continue;
    for await (const chunk of part.contents) if (chunk.length > 0) break;
  }
  assert.deepEqual(names, ['a', 'b', 'c']);
});

test('multipart form: malformed body → FormError', async () => {
  const cases: [string, string][] = [
    ['', 'does not contain its boundary'],
    ['hello', 'does not contain its boundary'],
    ['--c\r\n', 'does not contain its boundary'],
    ['x'.repeat(70_000), 'does not contain its boundary'],
    ['--b', 'has a part whose headers do not end'],
    ['--b\r\n', 'has a part whose headers do not end'],
    [field('a', '1').replaceAll('\r\n', '\n'), 'has a part whose headers do not end'],
    [`--b\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 'has a part whose headers do not end'],
    [field('a', '1'), 'ends in the middle of a part'],
    [`${field('a', '1')}--`, 'ends in the middle of a part'],
    [`${field('a', '1')}--b`, 'has a part whose headers do not end'],
    [`${field('a', '1')}--b-`, 'has a part whose headers do not end'],
    [`${field('a', '1')}--bb--`, 'has a part whose headers do not end'],
    [`--bb\r\n\r\n1\r\n--b--`, 'has its boundary inside of a line'],
    ['--b\r\n\r\n1\r\n--b--', 'has a part without a name'],
    ['--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b--', 'has a part without a name'],
    ['--b\r\nContent-Disposition: attachment; name="a"\r\n\r\n1\r\n--b--', 'has a part without a name'],
    ['--b\r\nno header\r\n\r\n1\r\n--b--', 'has a part with a header line that is none'],
    ['--b\r\n: x\r\n\r\n1\r\n--b--', 'has a part with a header line that is none'],
    [
      field('a', '1', '\r\nContent-Transfer-Encoding: base64'),
      'has a part with a content-transfer-encoding, which forms do not use',
    ],
    [`${field('a', '1').repeat(65)}--b--`, 'has more than 64 parts'],
  ];
  for (const [body, message] of cases) {
    for (const chunkBytes of [1, 13, 1 << 20]) assert.equal(await read(body, chunkBytes), message, body.slice(0, 80));
  }
});

test('boundary: multipart/form-data with a valid boundary → read; otherwise undefined', () => {
  const cases: [string, string | undefined][] = [
    ['multipart/form-data; boundary=abc', 'abc'],
    ['Multipart/Form-Data ; Boundary="a b"', 'a b'],
    ['multipart/form-data; charset=utf-8; boundary=abc; x=y', 'abc'],
    ['multipart/form-data; boundary="a\\"b"', 'a"b'],
    ['multipart/form-data;; boundary=abc ;', 'abc'],
    ['multipart/form-data', undefined],
    ['multipart/form-data; boundary=', undefined],
    ['multipart/form-data; boundary=""', undefined],
    ['multipart/form-data; boundary="a "', undefined],
    [`multipart/form-data; boundary=${'x'.repeat(71)}`, undefined],
    ['multipart/mixed; boundary=abc', undefined],
    ['application/json', undefined],
    ['', undefined],
  ];
  for (const [contentType, boundary] of cases) assert.equal(boundaryOf(contentType), boundary, contentType);
});
