import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHAIN_START, ChainCheck, type ChainPlace } from './chain-check.ts';
import { type ChainRow, digestOf } from './entry.ts';

/** Builds a chain of changes. */
function chainOf(length: number): ChainRow[] {
  const rows: ChainRow[] = [];
  let previous = CHAIN_START.digest;
  for (let sequence = 1; sequence <= length; sequence += 1) {
    const at = new Date(Date.UTC(2026, 0, sequence));
    const head = { id: `id-${sequence}`, at: at.toISOString(), kind: 'change' as const, of_sequence: null };
    const facts = JSON.stringify({ ...head, operation: 'updateOrganization' });
    const digest = digestOf(previous, sequence, facts);
    rows.push({ sequence, id: head.id, at, kind: head.kind, ofSequence: null, facts, digest });
    previous = digest;
  }
  return rows;
}

/** Checks rows against the end of the whole chain. */
function problemOf(rows: readonly ChainRow[], end: ChainPlace, start = CHAIN_START, anchor?: ChainPlace) {
  const check = new ChainCheck(start, anchor);
  check.add(rows);
  return check.end(end);
}

describe('the check of an audit chain', () => {
  const chain = chainOf(5);
  const end = chain.at(-1) as ChainRow;
  const second = chain[1] as ChainRow;

  it('a chain as written → intact', () => {
    assert.equal(problemOf(chain, end), undefined);
    assert.equal(problemOf([], CHAIN_START), undefined);
  });

  it('any row changed, removed or moved → the problem names the row', () => {
    for (const [index, row] of chain.entries()) {
      const others = chain.filter((one) => one !== row);
      const changed = { ...row, facts: row.facts.replace('updateOrganization', 'deleteOrganization') };
      assert.equal(problemOf(chain.with(index, changed), end)?.sequence, row.sequence);
      assert.equal(problemOf(chain.with(index, { ...row, id: 'other' }), end)?.sequence, row.sequence);
      assert.equal(problemOf(others, end)?.reason.includes('missing'), true);
    }
  });

  it('facts that are no JSON, with a digest of their own → the problem names the row', () => {
    const facts = 'none';
    const digest = digestOf((chain[0] as ChainRow).digest, 2, facts);
    assert.equal(problemOf(chain.with(1, { ...second, facts, digest }), end)?.sequence, 2);
  });

  it('a row changed with its own digest → found at the next row', () => {
    const facts = second.facts.replace('updateOrganization', 'deleteOrganization');
    const digest = digestOf((chain[0] as ChainRow).digest, 2, facts);
    assert.equal(problemOf(chain.with(1, { ...second, facts, digest }), end)?.sequence, 3);
  });

  it('rows before a checkpoint deleted → intact from there', () => {
    assert.equal(problemOf(chain.slice(2), end, second), undefined);
    assert.equal(problemOf(chain.slice(3), end, second)?.reason, 'Row 3 is missing.');
  });

  it('a whole chain written again → found by a place noted earlier', () => {
    const noted = { sequence: 4, digest: Buffer.alloc(32, 7) };
    assert.equal(problemOf(chain, end, CHAIN_START, noted)?.sequence, 4);
    assert.equal(problemOf(chain, end, CHAIN_START, chain[3]), undefined);
    assert.equal(problemOf(chain.slice(0, 2), second, CHAIN_START, chain[3])?.sequence, 4);
  });
});
