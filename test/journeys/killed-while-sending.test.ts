import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createTestDatabase } from '../harness/database.ts';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import {
  admin,
  call,
  createTenant,
  freshRecipient,
  sendTemplate,
  type Tenant,
  until,
  untilStatus,
} from '../harness/tenant.ts';

const HOLD_MS = 8_000;

interface Entry {
  at: string;
  what: string;
  outcome?: string;
  error_code?: string | null;
  error_message?: string | null;
  next_attempt_at?: string | null;
  source?: string;
}

test('unknown outcomes of a SIGKILL: visible in timeline and metrics from attempt to end', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const gateway = await createRestartableGateway({
    DATABASE_URL: connectionString,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: 'operator',
  });
  t.after(() => gateway.close());
  const { world } = gateway.simulator;
  const before = await gateway.start();
  const tenant = await createTenant(before);
  const careful = await createTenant(before);
  await admin(before, 'PATCH', `/organizations/${careful.organizationId}`, { unknown_outcome_policy: 'fail' });

  const sendUnanswered = async (sender: Tenant, kind: 'hang' | 'reply_lost') => {
    const to = freshRecipient();
    world.addFault({ fault: { kind }, scope: { recipient: to.slice(1) }, times: 1 });
    const id = await sendTemplate(before, sender, to, 'login_code');
    await world.sends.waitFor((sent) => sent.waId === to.slice(1));
    return id;
  };
  const startedAtMs = Date.now();
  const told = await sendUnanswered(tenant, 'reply_lost');
  const resent = await sendUnanswered(tenant, 'hang');
  const failed = await sendUnanswered(careful, 'hang');
  before.kill('SIGKILL');
  await before.ended;
  const killedAtMs = Date.now();

  const after = await gateway.start();
  const timelineOf = async (sender: Tenant, id: string): Promise<Entry[]> =>
    (await call(after, sender, 'GET', `/v1/messages/${id}/timeline`)).json.data;
  const attemptOf = (timeline: Entry[]) => {
    assert.deepEqual(
      timeline.slice(0, 2).map(({ what }) => what),
      ['queued', 'attempt'],
    );
    const attempts = timeline.filter(({ what }) => what === 'attempt');
    assert.equal(attempts.length, 1);
    const { at = '', next_attempt_at: nextAt, ...attempt } = attempts[0] ?? {};
    assert.deepEqual(attempt, { what: 'attempt', outcome: 'unknown', error_code: null, error_message: 'interrupted' });
    assert.ok(Date.parse(at) >= startedAtMs && Date.parse(at) <= killedAtMs, at);
    assert.ok(Date.parse(nextAt ?? '') >= killedAtMs + HOLD_MS, `${nextAt}`);
    return { nextAtMs: Date.parse(nextAt ?? '') };
  };

  await untilStatus(after, tenant, told, 'read');
  const settled = await timelineOf(tenant, told);
  attemptOf(settled);
  assert.deepEqual(
    settled.slice(2).map(({ what, source }) => [what, source]),
    [
      ['sent', 'webhook'],
      ['delivered', 'webhook'],
      ['read', 'webhook'],
    ],
  );

  await untilStatus(after, tenant, resent, 'sent', 'delivered', 'read');
  const again = await timelineOf(tenant, resent);
  const { nextAtMs } = attemptOf(again);
  assert.deepEqual([again[2]?.what, again[2]?.source], ['sent', 'answer']);
  assert.ok(Date.parse(again[2]?.at ?? '') >= nextAtMs);

  await untilStatus(after, careful, failed, 'failed');
  const ended = await timelineOf(careful, failed);
  attemptOf(ended);
  assert.deepEqual(
    ended.slice(2).map(({ what, error_code: code }) => [what, code]),
    [['failed', 'UNKNOWN_OUTCOME']],
  );

  const metrics = await until('the metrics are read', async () => {
    const answer = await call(after, { apiKey: 'operator' }, 'GET', '/metrics');
    return answer.status === 200 ? answer.text : undefined;
  });
  assert.match(metrics, /^fairway_dispatch_outcomes_total\{outcome="unknown"\} 3$/m);
});
