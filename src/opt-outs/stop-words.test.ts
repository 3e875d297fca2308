import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStopMessage } from './stop-words.ts';

const WORDS = ['STOP', 'no más', '停止'];
const text = (body: unknown) => JSON.stringify({ text: { body } });

for (const said of ['stop', ' Stop. ', '«STOP!»', 'ＳＴＯＰ', 'NO  MÁS', '停止。']) {
  test(`stop words: ${said} → stops`, () => assert.equal(isStopMessage(WORDS, 'text', text(said)), true));
}

for (const said of ['stop it', 'nonstop', '', '!!!', 'stop'.repeat(30), 7, null]) {
  test(`stop words: ${JSON.stringify(said).slice(0, 20)} → stops nothing`, () =>
    assert.equal(isStopMessage(WORDS, 'text', text(said)), false));
}

test('stop words: label of a button → stops; other types and no words → stop nothing', () => {
  const button = JSON.stringify({ button: { text: 'Stop', payload: 'p' } });
  assert.equal(isStopMessage(WORDS, 'button', button), true);
  assert.equal(isStopMessage(WORDS, 'image', button), false);
  assert.equal(isStopMessage([], 'text', text('stop')), false);
  assert.equal(isStopMessage(['!'], 'text', text('!')), false);
});
