import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { type Answer, call, freshRecipient, send, templateTo, until } from '../../harness/tenant.ts';
import { createTickingClock } from '../../harness/ticking-clock.ts';

const HOUR_MS = 60 * 60 * 1000;

const idOf = (answer: Answer) => answer.json.messages[0].id as string;

describe('the memory of Idempotency-Keys', () => {
  const clock = createTickingClock(Date.now());
  const gateway = useGateway({ clock, simulator: { clock: systemClock } });
  const tenant = useTenant(gateway);
  after(() => clock.stop());

  it('lasts seven days, then a key is new again', async () => {
    const body = templateTo(freshRecipient());
    const sendWith = (key: string) => send(gateway, tenant, body, { headers: { 'idempotency-key': key } });
    const [old, young] = [await sendWith('old'), await sendWith('young')];
    const age = async (id: string, interval: string) =>
      gateway.app.db.query({
        text: 'UPDATE idempotency_key SET created_at = created_at - $2::interval WHERE message_id = $1',
        values: [id, interval],
      });
    await age(idOf(old), '7 days');
    await age(idOf(young), '6 days 22 hours');
    clock.leap(HOUR_MS);
    const again = await until('the old key is forgotten', async () => {
      const found = await sendWith('old');
      // An hour's timers falling due at once overload a gateway for a moment.
      if (found.status === 503) return undefined;
      return idOf(found) === idOf(old) ? undefined : found;
    });
    assert.equal(again.status, 202, again.text);
    assert.equal(idOf(await sendWith('young')), idOf(young));
    assert.equal(
      (await call(gateway, tenant, 'GET', `/v1/messages/${idOf(old)}`)).status,
      200,
      'the message itself stays',
    );
  });
});
