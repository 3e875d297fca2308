import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { harmlessName } from './harmless-name.ts';

describe('the name of a download', () => {
  const nameOf = (text: string) =>
    harmlessName(`attachment; filename="x"; filename*=UTF-8''${encodeURIComponent(text)}`, '77');

  it('an ordinary name → unchanged', () => {
    assert.equal(nameOf('Grüße 2026.pdf'), 'Grüße 2026.pdf');
    assert.equal(harmlessName('attachment; filename="a \\"b\\".pdf"', '77'), 'a _b_.pdf');
    assert.equal(harmlessName('attachment; filename=bill.pdf', '77'), 'bill.pdf');
  });

  it('a hostile name → one in the folder, without control characters', () => {
    assert.equal(nameOf('../../etc/passwd'), 'passwd');
    assert.equal(nameOf('..\\..\\x.bat'), 'x.bat');
    assert.equal(nameOf('.bashrc'), 'bashrc');
    assert.equal(nameOf('-rf'), 'rf');
    assert.equal(nameOf('a\u001b[2J\u202efdp.exe\n'), 'a_[2J_fdp.exe_');
    assert.equal(nameOf('C:evil'), 'C_evil');
  });

  it('no usable name → the fallback', () => {
    for (const none of ['..', '/', '', ' . ']) assert.equal(nameOf(none), none === '' ? 'x' : '77', none);
    assert.equal(harmlessName(null, '77'), '77');
    assert.equal(harmlessName("attachment; filename*=UTF-8''%E0%A4%A", '77'), '77');
    assert.equal(harmlessName(null, '..'), 'file');
  });

  it('a long name → shorter, with its ending', () => {
    const name = nameOf(`${'ü'.repeat(300)}.pdf`);
    assert.ok(Buffer.byteLength(name) <= 200 && name.endsWith('ü.pdf'), name);
  });
});
