import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fileNameParameters, frameMultipart } from './multipart.ts';

test('frame: fields first, then the file', () => {
  const file = { field: 'file', fileName: 'a.png', mimeType: 'image/png' };
  const { contentType, head, tail } = frameMultipart({ fields: { type: 'image/png' }, file }, 'B');
  assert.equal(contentType, 'multipart/form-data; boundary=B');
  assert.equal(
    head.toString() + tail.toString(),
    [
      '--B',
      'content-disposition: form-data; name="type"',
      '',
      'image/png',
      '--B',
      'content-disposition: form-data; name="file"; filename="a.png"',
      'content-type: image/png',
      '',
      '',
      '--B--',
      '',
    ].join('\r\n'),
  );
});

test('form: file name in plain UTF-8, without the `filename*` parameter', () => {
  const nameIn = (fileName: string) => {
    const { head } = frameMultipart({ fields: {}, file: { field: 'file', fileName, mimeType: 'image/png' } }, 'B');
    return /; (filename.*)\r\n/.exec(head.toString())?.[1];
  };
  assert.equal(nameIn('\u00dcbersicht \u0645.pdf'), 'filename="\u00dcbersicht \u0645.pdf"');
  assert.equal(nameIn('a"; x="\r\n\\\ud800'), 'filename="a_; x=____\ufffd"');
  assert.equal(nameIn(''), 'filename="file"');
});

test('MIME type: malformed or with parameters → refused', () => {
  for (const mimeType of ['', 'image', 'audio/ogg; codecs=opus', 'a/b\r\nx: y', 'image/png ']) {
    const form = { fields: {}, file: { field: 'file', fileName: 'x', mimeType } };
    assert.throws(() => frameMultipart(form, 'B'), RangeError, mimeType);
  }
});

const names: [string, string][] = [
  ['report.pdf', 'filename="report.pdf"'],
  ['', 'filename="file"'],
  ['a"; name="x', 'filename="a_; name=_x"'],
  ['a\r\nx-evil: 1', 'filename="a__x-evil: 1"'],
  ['back\\slash', 'filename="back_slash"'],
  ["na\u00efve (1)'*.pdf", "filename=\"na_ve (1)'*.pdf\"; filename*=UTF-8''na%C3%AFve%20%281%29%27%2A.pdf"],
  ['\u{1f600}.png', 'filename="_.png"; filename*=UTF-8\'\'%F0%9F%98%80.png'],
  ['\ud800', 'filename="_"; filename*=UTF-8\'\'%EF%BF%BD'],
];
for (const [name, expected] of names) {
  test(`file name ${JSON.stringify(name)}: spelled safely`, () => {
    assert.equal(fileNameParameters(name), expected);
  });
}

test('file name: cannot leave its parameter', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (name) => {
      assert.match(fileNameParameters(name), /^filename="[^"\\\r\n]*"(; filename\*=UTF-8''[\w%.~!-]*)?$/);
    }),
  );
});
