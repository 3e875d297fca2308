import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  type Answer,
  askAdmin,
  createTenant,
  freshRecipient,
  readMessage,
  sendTemplate,
  until,
  untilStatus,
} from '../../harness/tenant.ts';

describe('the admin API: usage and numbers', () => {
  const gateway = useGateway();
  const other = useTenant(gateway);
  const ask = (method: string, path: string, body?: unknown): Promise<Answer> => askAdmin(gateway, method, path, body);

  it('counts the usage of one organization and one month', async () => {
    const counted = await createTenant(gateway);
    const failing = freshRecipient();
    gateway.simulator.world.addFault({
      fault: { kind: 'error', code: 131026 },
      scope: { recipient: failing.slice(1) },
    });
    const ids = [
      await sendTemplate(gateway, counted, freshRecipient(), 'greeting'),
      await sendTemplate(gateway, counted, freshRecipient()),
    ];
    for (const id of ids) {
      await untilStatus(gateway, counted, id, 'read');
      // The price arrives with the earlier statuses, which others may overtake.
      await until('its price is told', async () => (await readMessage(gateway, counted, id)).pricing_type ?? undefined);
    }
    await untilStatus(gateway, counted, await sendTemplate(gateway, counted, failing), 'failed');
    const month = new Date().toISOString().slice(0, 7);
    for (const query of ['', `?month=${month}`]) {
      const answer = await ask('GET', `/organizations/${counted.organizationId}/usage${query}`);
      assert.equal(answer.status, 200, answer.text);
      assert.partialDeepStrictEqual(answer.json, {
        month,
        accepted: 3,
        sent: 2,
        delivered: 2,
        failed: 1,
        by_category: { utility: 1, marketing: 2 },
        by_pricing: { regular: 2 },
      });
    }
    const empty = await ask('GET', `/organizations/${counted.organizationId}/usage?month=2020-01`);
    const nothing = { accepted: 0, sent: 0, delivered: 0, failed: 0, by_category: {}, by_pricing: {}, spent: 0 };
    assert.deepEqual(empty.json, { month: '2020-01', ...nothing });
    for (const bad of ['2026-13', '2026', 'x', '2026-1', '0000-01', '2026-08-01']) {
      const answer = await ask('GET', `/organizations/${counted.organizationId}/usage?month=${bad}`);
      assertError(answer, 400, 'VALIDATION_ERROR');
    }
  });

  it('patches a number: pace and pause alone; a paused number keeps its queue, with reason', async () => {
    const paused = await createTenant(gateway);
    const path = `/numbers/${paused.phoneNumberId}`;
    const paced = await ask('PATCH', path, { messages_per_second: 7 });
    assert.equal(paced.status, 200, paced.text);
    assert.partialDeepStrictEqual(paced.json, {
      phone_number_id: paused.phoneNumberId,
      messages_per_second: 7,
      paused: false,
    });
    assert.partialDeepStrictEqual((await ask('PATCH', path, { paused: true })).json, {
      account_id: paused.accountId,
      messages_per_second: 7,
      paused: true,
      parked: null,
    });

    const queueOf = async (query: string) => {
      const answer = await ask('GET', `/queue?${query}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.json.numbers as Record<string, unknown>[];
    };
    const ids: string[] = [];
    const [queued] = await until('messages wait because of the pause', async () => {
      ids.push(await sendTemplate(gateway, paused, freshRecipient()));
      const numbers = await queueOf(`phone_number_id=${paused.phoneNumberId}`);
      return (numbers[0]?.waits_for as string[] | undefined)?.includes('paused') && Number(numbers[0]?.queued) >= 3
        ? numbers
        : undefined;
    });
    assert.partialDeepStrictEqual(queued, {
      organization_id: paused.organizationId,
      phone_number_id: paused.phoneNumberId,
      messages_per_second: 7,
    });
    assert.ok(Number(queued!.oldest_wait_seconds) >= 0);
    assert.partialDeepStrictEqual(queued!.flows, [{ traffic_class: 'marketing', queued: queued!.queued }]);
    assert.deepEqual(await queueOf(`organization_id=${paused.organizationId}`).then((numbers) => numbers.length), 1);
    assert.deepEqual(await queueOf(`organization_id=${other.organizationId}`), []);

    const resumed = await ask('PATCH', path, { paused: false, messages_per_second: null });
    assert.partialDeepStrictEqual(resumed.json, { paused: false, messages_per_second: 80 });
    for (const id of ids) await untilStatus(gateway, paused, id, 'read');
    assert.deepEqual(await queueOf(`phone_number_id=${paused.phoneNumberId}`), []);

    assertError(await ask('PATCH', '/numbers/899999999999999', { paused: true }), 404, 'ACCOUNT_NOT_FOUND');
    for (const bad of [{ paused: 1 }, { messages_per_second: 0 }, { messages_per_second: '5' }, { other: true }]) {
      assertError(await ask('PATCH', path, bad), 400, 'VALIDATION_ERROR');
    }
    assertError(await ask('GET', '/queue?organization_id=x'), 400, 'VALIDATION_ERROR');
  });
});
