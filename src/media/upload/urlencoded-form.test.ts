import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FormError } from './form-part.ts';
import { readUrlencodedForm } from './urlencoded-form.ts';

async function read(body: string, chunkBytes = 5): Promise<[string, string][]> {
  const pairs: [string, string][] = [];
  for await (const part of readUrlencodedForm(chunksOf(body, chunkBytes))) {
    const chunks: Buffer[] = [];
    for await (const chunk of part.contents) chunks.push(Buffer.from(chunk));
    pairs.push([part.name, Buffer.concat(chunks).toString('utf8')]);
  }
  return pairs;
}

async function* chunksOf(text: string, chunkBytes: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

test('urlencoded form: any chunks → read as URLSearchParams reads it', async () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'é', '+', ' ', '&', '=', '%', '%2', '/', '😀', '\n'),
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(text, text), { maxLength: 6 }),
      fc.integer({ min: 1, max: 50 }),
      async (pairs, chunkBytes) => {
        const body = new URLSearchParams(pairs).toString();
        assert.deepEqual(await read(body, chunkBytes), [...new URLSearchParams(body)], body);
      },
    ),
    { numRuns: 500 },
  );
});

test('urlencoded form: invalid percent-encoding → stands for itself', async () => {
  for (const chunkBytes of [1, 2, 3, 100]) {
    assert.deepEqual(await read('a=%&b=%2&c=%zz&d=100%25&e=%%41', chunkBytes), [
      ['a', '%'],
      ['b', '%2'],
      ['c', '%zz'],
      ['d', '100%'],
      ['e', '%A'],
    ]);
  }
});

test('urlencoded form: no name, no value or unread value → skipped or empty', async () => {
  assert.deepEqual(await read('&&a=&b&=c&d=1'), [
    ['a', ''],
    ['', 'c'],
    ['d', '1'],
  ]);
  const names: string[] = [];
  for await (const part of readUrlencodedForm(chunksOf(`a=${'x'.repeat(1000)}&b=${'y'.repeat(1000)}&c=1`, 64))) {
    names.push(part.name);
    if (part.name === 'b') for await (const chunk of part.contents) if (chunk.length > 0) break;
  }
  assert.deepEqual(names, ['a', 'b', 'c']);
});

test('urlencoded form: too many fields → FormError', async () => {
  for (const field of ['a=1&', '&', 'a&', '=&']) {
    await assert.rejects(read(field.repeat(65), 1000), FormError, field);
    await read(field.repeat(63), 1000);
  }
});
