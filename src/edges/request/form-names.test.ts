import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { boundaryOf, listFormNames } from './form-names.ts';

const part = (headers: string, content = 'x') => `--b\r\n${headers}\r\n\r\n${content}\r\n`;
const field = (name: string) => part(`Content-Disposition: form-data; name="${name}"`);

describe('the names of a multipart form', () => {
  it('a form as clients write it: its names, in order', () => {
    const file = part(
      'Content-Disposition: form-data; name="file"; filename="flow.json"\r\nContent-Type: application/json',
      '{"a":1}',
    );
    assert.deepEqual(listFormNames(Buffer.from(`${field('name')}${file}--b--\r\n`), 'b'), ['name', 'file']);
    assert.deepEqual(listFormNames(Buffer.from(`${field('name')}--b--`), 'b'), ['name']);
  });

  it('a boundary: quoted or not; none in other types', () => {
    assert.equal(boundaryOf('multipart/form-data; boundary=----x1'), '----x1');
    assert.equal(boundaryOf('Multipart/Form-Data; boundary="a b"'), undefined);
    assert.equal(boundaryOf('multipart/form-data; boundary="a=b"'), 'a=b');
    assert.equal(boundaryOf('multipart/form-data; boundary=a; boundary=b'), undefined);
    assert.equal(boundaryOf('multipart/mixed; boundary=a'), undefined);
  });

  for (const [reason, text] of [
    ['text before the first part', `x${field('name')}--b--`],
    ['no end', field('name')],
    ['text behind the end', `${field('name')}--b--\r\nx`],
    [
      'two dispositions',
      `${part('Content-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="b"')}--b--`,
    ],
    ['a folded header', `${part('Content-Disposition: form-data;\r\n name="access_token"')}--b--`],
    ['an encoded name', `${part("Content-Disposition: form-data; name*=utf-8''access_token")}--b--`],
    ['a name without quotes', `${part('Content-Disposition: form-data; name=access_token')}--b--`],
    ['two names', `${part('Content-Disposition: form-data; name="a"; name="access_token"')}--b--`],
    ['bare line feeds', `${field('name').replaceAll('\r\n', '\n')}--b--`],
    ['another header', `${part('X-Name: access_token\r\nContent-Disposition: form-data; name="a"')}--b--`],
    ['nothing', ''],
  ] as const) {
    it(`${reason}: refused`, () =>
      assert.throws(() => listFormNames(Buffer.from(text), 'b'), { code: 'VALIDATION_ERROR' }));
  }
});
