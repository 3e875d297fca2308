import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { assertError } from '../../harness/assert-error.ts';
import { useFurtherNode, useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  admin,
  createTenant,
  freshRecipient,
  issueKey,
  pause,
  queueOf,
  send,
  sendNow,
  type Tenant,
  templateTo,
  until,
} from '../../harness/tenant.ts';
import { createTickingClock } from '../../harness/ticking-clock.ts';

/** Measured by the nodes' own clock, which a busy machine slows down with everything else. */
describe("within a second of an answer of another node's admin API", () => {
  const clock = createTickingClock(Date.now());
  const gateway = useGateway({ clock, isOneOfSeveral: true, simulator: { clock: systemClock } });
  const other = useFurtherNode(gateway, { clock });
  const tenant = useTenant(gateway);
  after(() => clock.stop());

  const sendOne = (sender: Tenant = tenant) => send(other, sender, templateTo(freshRecipient()));
  /** Probes until there is an answer; a probe that begins a second from now must get it. */
  const withinASecond = <T>(what: string, probe: () => Promise<T | undefined>): Promise<T> => {
    const endsAt = clock.now() + 1_000;
    return until(what, async () => {
      const beganAt = clock.now();
      const answer = await probe();
      assert.ok(answer !== undefined || beganAt < endsAt, `a second passed without: ${what}`);
      return answer;
    });
  };
  const untilRefused = (what: string, sender?: Tenant) =>
    withinASecond(what, async () => {
      const answer = await sendOne(sender);
      return answer.status === 202 ? undefined : answer;
    });

  it('a disabled key is refused', async () => {
    const key = await issueKey(gateway, tenant);
    const caller = { ...tenant, apiKey: key.key };
    assert.equal((await sendOne(caller)).status, 202);
    await admin(gateway, 'DELETE', `/api-keys/${key.id}`);
    assertError(await untilRefused('the key is refused', caller), 401, 'UNAUTHORIZED');
  });

  it('a changed plan is in force', async () => {
    assert.equal((await sendOne()).status, 202);
    await admin(gateway, 'PUT', `/organizations/${tenant.organizationId}/plan`, { active: false });
    assertError(await untilRefused('the plan is in force'), 403, 'PLAN_INACTIVE');
  });

  it('a paused number sends nothing more', async () => {
    const paused = await createTenant(gateway);
    await sendNow(other, paused);
    await pause(gateway, paused);
    await withinASecond('messages wait because of the pause', async () => {
      await sendOne(paused);
      return (await queueOf(other, paused)).waits_for.includes('paused') || undefined;
    });
  });
});
