import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AppError } from '../../core/errors.ts';
import { markAsRead } from './mark-as-read.ts';
import { type ReadReceipt, readSendRequest } from './send-request.ts';

it('read receipt: upstream throttles → retry after its wait, later if a call budget is used up', async () => {
  const receipt = readSendRequest(Buffer.from('{"status":"read","message_id":"wamid.x"}')) as ReadReceipt;
  const waits: (number | undefined)[] = [];
  for (const [scope, retryAfterMs] of [
    ['number', 30_000],
    ['number', null],
    ['waba', null],
    ['app', null],
  ]) {
    const deps = {
      accounts: {
        getNumber: () => ({ registered: true, wabaId: 'w' }),
        tokenOfNumber: () => ({ token: 't', version: 1 }),
      },
      lookups: { for: () => undefined },
      upstream: { markAsRead: async () => ({ kind: 'throttled', scope, retryAfterMs }) },
    } as unknown as Parameters<typeof markAsRead>[0];
    await assert.rejects(
      markAsRead(deps, { organizationId: 'o', apiKeyId: 'k', keyNumber: 1, limits: null }, '1', receipt),
      (error) => {
        assert.ok(error instanceof AppError);
        assert.equal(error.code, 'UNAVAILABLE');
        waits.push(error.details.retryAfterSeconds);
        return true;
      },
    );
  }
  assert.deepEqual(waits, [30, 1, 60, 60]);
});
