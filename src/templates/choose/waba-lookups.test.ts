import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AGAIN_MS, WabaLookups } from './waba-lookups.ts';

describe('lookups of template names', () => {
  it('same name within a minute → one shared lookup', async () => {
    const lookups = new WabaLookups<number>();
    let calls = 0;
    const lookUp = async () => {
      calls += 1;
      return calls;
    };
    const found = [0, 0, 59_999].map((nowMs) => lookups.find('w', 'a', nowMs, lookUp));
    assert.deepEqual(await Promise.all(found), [1, 1, 1]);
    assert.equal(await lookups.find('w', 'a', 60_000, lookUp), 2);
  });

  it('failed lookup → repeated soon', async () => {
    const lookups = new WabaLookups<number>();
    const fail = () => Promise.reject(new Error('throttled'));
    const succeed = () => Promise.resolve(1);
    await assert.rejects(async () => lookups.find('w', 'a', 0, fail));
    await assert.rejects(async () => lookups.find('w', 'a', AGAIN_MS - 1, succeed));
    assert.equal(await lookups.find('w', 'a', AGAIN_MS, succeed), 1);
  });

  it('many names of one business account → limited lookups', async () => {
    const lookups = new WabaLookups<string>();
    const find = (wabaId: string, name: string) => lookups.find(wabaId, name, 0, async () => name);
    const found = await Promise.all(Array.from({ length: 25 }, (_, index) => find('w', String(index))));
    assert.equal(found.filter((name) => name !== undefined).length, 20);
    assert.equal(await find('w', '19'), '19', 'what was found before is told');
    assert.equal(await find('v', 'a'), 'a');
  });
});
