import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CSV_HEAD, csvRowOf } from './csv.ts';

describe('changes as CSV', () => {
  const change = {
    id: 'a',
    organization_id: null,
    sequence: 3,
    at: '2026-11-01T00:00:00.000Z',
    actor: { type: 'operator', id: 'b', name: '=cmd("x"), Ada', identity: null },
    address: '192.0.2.1',
    request_id: 'c',
    operation: 'updateNumber',
    object: null,
    before: { paused: false },
    after: null,
    parameters: null,
    answer: null,
    http_status: 200,
    digest: 'd',
  };

  it('names, objects and formulas: quoted; nothing else is', () => {
    const name = `"'=cmd(""x""), Ada"`;
    const before = '"{""paused"":false}"';
    const row = `a,,3,2026-11-01T00:00:00.000Z,operator,b,${name},,,192.0.2.1,c,updateNumber,,,200,${before},,,,d`;
    assert.equal(csvRowOf(change), row);
    assert.equal(CSV_HEAD.split(',').length, 20);
  });
});
