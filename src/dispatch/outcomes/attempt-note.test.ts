import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SendOutcome } from '../../upstream/index.ts';
import { noteOf } from './attempt-note.ts';
import { reactTo } from './outcome-policy.ts';

const message = { organizationId: 'o', messageId: 'm' };

function note(outcome: SendOutcome, attempt = 0) {
  const reaction = reactTo(outcome, { flowId: 5, attempt, random: 0, unknownForMs: undefined }, 0);
  return noteOf(message, 1_000, 2_000, outcome, reaction);
}

describe('attempt note', () => {
  it('accepted, rejected or last attempt → no note, the message shows its result', () => {
    const provider = { code: 131026, error_user_title: 'x', error_user_msg: 'x' };
    assert.equal(note({ kind: 'accepted', wamid: 'w' }), undefined);
    assert.equal(note({ kind: 'rejected', code: '131026', message: 'x', provider }), undefined);
    assert.equal(
      note({ kind: 'unavailable', reason: 'x', code: '1', retryAfterMs: null, isOutage: false }, 99),
      undefined,
      'the last attempt',
    );
  });

  it('retried attempt → note with its start, result and next attempt', () => {
    const unavailable = note({
      kind: 'unavailable',
      reason: 'no answer',
      code: '131000',
      retryAfterMs: 4_000,
      isOutage: false,
    });
    assert.deepEqual(unavailable, {
      ...message,
      atMs: 1_000,
      outcome: 'unavailable',
      errorCode: '131000',
      errorMessage: 'no answer',
      nextAtMs: 2_000 + 4_000,
    });
    assert.ok((note({ kind: 'unknown', reason: 'server_error' })?.nextAtMs ?? 0) > 2_000);
  });

  it('blocked attempt → note without a time for the next attempt', () => {
    const blocked = note({ kind: 'blocked', scope: 'waba', code: '131031', message: 'locked' });
    assert.equal(blocked?.nextAtMs, null);
    assert.equal(blocked?.errorMessage, 'locked');
  });
});
