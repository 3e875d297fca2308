import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FlowWindow } from './flow-window.ts';
import { type Flow, QueuedMessage, RecipientChain } from './recipient-chain.ts';

const everythingRead = Number.POSITIVE_INFINITY;

function message(seq: number, flow: Flow): QueuedMessage {
  const row = { seq, numberId: 1, flowId: flow.flowId, contact: '49', messageId: `m${seq}` };
  return new QueuedMessage({ ...row, acceptedAtMs: 0, attempt: 0, dueAtMs: null }, flow);
}

function chainOf(...seqs: number[]): { chain: RecipientChain; flow: Flow } {
  const flow = new FlowWindow<RecipientChain>(7, 1);
  const chain = new RecipientChain(1, '49');
  for (const seq of seqs) chain.insert(message(seq, flow));
  return { chain, flow };
}

function seqsOf(chain: RecipientChain): number[] {
  return chain.messages.map(({ seq }) => seq);
}

test('chain: any order of arrival → ordered by seq', () => {
  const { chain, flow } = chainOf(5, 1, 9, 3);
  assert.deepEqual(seqsOf(chain), [1, 3, 5, 9]);
  assert.equal(flow.queued, 4);
  assert.deepEqual([chain.knows(3), chain.knows(4)], [true, false]);
});

test('chain: several flows → in each by its first message of that flow', () => {
  const { chain } = chainOf(5, 1);
  const other = new FlowWindow<RecipientChain>(8, 1);
  chain.insert(message(3, other));
  chain.insert(message(2, other));
  const keys = (): [number, number][] => chain.memberships.map(({ flow, node }) => [flow.flowId, node.key]);
  assert.deepEqual(keys(), [
    [7, 1],
    [8, 2],
  ]);
  chain.takeFirst();
  assert.deepEqual(keys(), [
    [7, 5],
    [8, 2],
  ]);
  chain.takeFirst();
  chain.takeFirst();
  assert.deepEqual(keys(), [[7, 5]]);
});

test('message above an unread row → not sure before its recipient has been read', () => {
  const { chain } = chainOf(10);
  assert.equal(chain.isSure(everythingRead), true);
  assert.equal(chain.isSure(9), false);
  chain.startRead();
  chain.finishRead(10, false);
  assert.equal(chain.isSure(9), true);
});

test('message arriving during a read → not made sure by it', () => {
  const { chain, flow } = chainOf(10);
  chain.startRead();
  chain.insert(message(20, flow));
  chain.finishRead(10, false);
  chain.takeFirst();
  assert.equal(chain.isSure(9), false);
});

test('messages left to the table → found by a read from the last sure one', () => {
  const { chain, flow } = chainOf(1, 2, 3, 4);
  chain.cut(2, everythingRead);
  assert.deepEqual([seqsOf(chain), chain.more, chain.readTo, flow.queued], [[1, 2], true, 2, 2]);
});

test('cutting unsure messages → claims nothing about rows below them', () => {
  const { chain } = chainOf(10, 11, 12);
  chain.cut(1, 5);
  assert.deepEqual([chain.more, chain.readTo], [true, 5]);
});

test('rows left to the table → a message beyond them is never sure', () => {
  const { chain, flow } = chainOf(1, 2, 3);
  chain.cut(1, everythingRead);
  chain.insert(message(9, flow));
  chain.takeFirst();
  assert.equal(chain.isSure(everythingRead), false);
});

test('row left out during a read → stays above the position that the answer covers', () => {
  const { chain, flow } = chainOf(1, 2);
  chain.startRead();
  chain.insert(message(5, flow));
  chain.cut(2, everythingRead);
  assert.equal(chain.finishRead(20, false), 4);
  assert.deepEqual([chain.more, chain.readTo, chain.read], [true, 4, 'none']);
});

test('full answer → counts up to its last row, the rest needs a next read', () => {
  const { chain } = chainOf(30);
  chain.startRead();
  assert.equal(chain.finishRead(20, true), 20);
  assert.deepEqual([chain.more, chain.isSure(everythingRead)], [true, false]);
});
