import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprintComponents } from './component-fingerprint.ts';
import type { TemplateRecord } from './record-queries.ts';
import { renderGraphTemplate, renderInTurns, renderTemplate } from './template-view.ts';

const record: TemplateRecord = {
  id: '77',
  wabaId: '1001',
  name: 'cake_ready',
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  parameterFormat: null,
  components: '[{"type":"BODY", "n":12345678901234567890}]',
  otherFields: '{"ttl":1.0,"status":"REJECTED","waba_id":"9","created_at":0,"__proto__":{"a":1}}',
  qualityScore: 'GREEN',
  rejectedReason: null,
  createdAt: new Date(0),
  updatedAt: new Date(1_999),
};

test('renderTemplate: stored fields → shown in their spelling, without names of columns', () => {
  assert.equal(
    renderTemplate(record),
    '{"id":"77","waba_id":"1001","name":"cake_ready","language":"en_US","category":"UTILITY","status":"APPROVED",' +
      '"parameter_format":null,"components":[{"type":"BODY", "n":12345678901234567890}],"quality_score":"GREEN",' +
      '"rejected_reason":null,"created_at":"1970-01-01T00:00:00.000Z","updated_at":"1970-01-01T00:00:01.999Z",' +
      '"ttl":1.0,"__proto__":{"a":1}}',
  );
});

test('renderGraphTemplate: fields requested → only these, without unknown values', () => {
  const all = JSON.parse(renderGraphTemplate(record, undefined));
  assert.deepEqual(all.quality_score, { score: 'GREEN', date: 1 });
  for (const absent of ['rejected_reason', 'parameter_format', 'waba_id', 'created_at'])
    assert.ok(!(absent in all), absent);
  const some = renderGraphTemplate(record, ['name', 'quality_score', 'language']);
  assert.equal(some, '{"name":"cake_ready","language":"en_US","quality_score":{"score":"GREEN","date":1},"id":"77"}');
});

test('renderGraphTemplate: reported quality → shown as received for the current score', () => {
  const withOthers = (otherFields: string) =>
    renderGraphTemplate({ ...record, otherFields }, ['quality_score']).replace(/,"id":"77"\}$/, '}');
  const told = '{"score":"GREEN", "reasons":["SPAM"],"date":1.50}';
  assert.equal(withOthers(`{"quality_score":${told}}`), `{"quality_score":${told}}`);
  for (const stale of ['{"score":"RED","date":5}', '"GREEN"', 'null', '{"score":"GREEN"}'])
    assert.equal(withOthers(`{"quality_score":${stale}}`), '{"quality_score":{"score":"GREEN","date":1}}', stale);
});

test('renderInTurns: large records → yields in between; small ones → none', async () => {
  const turnsOf = async (records: TemplateRecord[]) => {
    let turns = 0;
    const render = () => {
      setImmediate(() => {
        turns += 1;
      });
      return String(turns);
    };
    return await renderInTurns(records, render);
  };
  const large = { ...record, otherFields: JSON.stringify({ pad: 'x'.repeat(300_000) }) };
  assert.deepEqual(await turnsOf([large, large, large]), ['0', '1', '2']);
  assert.deepEqual(await turnsOf(Array(100).fill(record)), Array(100).fill('0'));
});

test('fingerprintComponents: other sample URLs, key order or white space → equal', () => {
  const one = '[{"type":"HEADER","example":{"header_handle":["https://cdn/1?sig=a"]}},{"type":"BODY","text":"x"}]';
  const same = '[{"example":{"header_handle":["4::h"]}, "type":"HEADER"},{"text":"\\u0078","type":"BODY"}]';
  const other = one.replace('"x"', '"y"');
  assert.equal(fingerprintComponents(one), fingerprintComponents(same));
  assert.notEqual(fingerprintComponents(one), fingerprintComponents(other));
});
