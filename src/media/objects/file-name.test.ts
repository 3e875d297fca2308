import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanFileName } from './file-name.ts';

test('file name: paths, controls and direction marks → removed, the rest kept', () => {
  const cases: [string, string | undefined][] = [
    ['invoice.pdf', 'invoice.pdf'],
    ['  Rechnung März (2).pdf ', 'Rechnung März (2).pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\fakepath\\a.png', 'a.png'],
    ['/', undefined],
    ['a/', undefined],
    ['', undefined],
    ['.', undefined],
    ['..', undefined],
    ['\u0000\r\n', undefined],
    ['a\r\nContent-Type: x.pdf', 'aContent-Type: x.pdf'],
    ['photo\u202egpj.exe', 'photogpj.exe'],
    ['\u2066a\u2069\u200b\ufeff\u061c.txt', 'a.txt'],
    ['line\u2028break\u0085.txt', 'linebreak.txt'],
    ['broken\ud800.txt', 'broken.txt'],
    ['e\u0301.txt', 'é.txt'],
    ['👩‍💻.png', '👩‍💻.png'],
    ['.htaccess', '.htaccess'],
    ['"quoted"; x=y.pdf', '"quoted"; x=y.pdf'],
  ];
  for (const [name, expected] of cases) assert.equal(cleanFileName(name), expected, JSON.stringify(name));
});

test('long file name → cut between characters, extension kept', () => {
  assert.equal(cleanFileName(`${'x'.repeat(500)}.pdf`), `${'x'.repeat(236)}.pdf`);
  assert.equal(cleanFileName(`${'é'.repeat(500)}.docx`), `${'é'.repeat(117)}.docx`);
  assert.equal(cleanFileName('😀'.repeat(100)), '😀'.repeat(60));
  assert.equal(cleanFileName(`x.${'y'.repeat(500)}`), `x.${'y'.repeat(238)}`);
});

test('clean file name → short, without separators and controls, unchanged if cleaned again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
      const clean = cleanFileName(name);
      if (clean === undefined) return;
      assert.ok(Buffer.byteLength(clean) <= 240 && clean.length > 0);
      assert.doesNotMatch(clean, /[/\\\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
      assert.equal(cleanFileName(clean), clean);
    }),
    { numRuns: 1000 },
  );
});
