import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../harness/assert-error.ts';
import { askAsPage, signIn } from '../harness/console.ts';
import { useGateway, useTenant } from '../harness/fixtures.ts';
import { createOperator } from '../harness/operator.ts';
import { call, freshRecipient, send, sendNow, textTo, until } from '../harness/tenant.ts';

const DOOR = '/console/simulator';

describe('the door to the simulated platform', () => {
  const gateway = useGateway({ settings: ({ upstream }) => ({ upstream: { ...upstream, isBuiltIn: true } }) });
  const tenant = useTenant(gateway);

  it('an operator: writes as a person, sees what the person receives, switches faults', async () => {
    const { token } = await createOperator(gateway, 'operator');
    const page = await signIn(gateway, { token });
    assert.deepEqual([page.signedIn.json.demo, page.signedIn.json.simulator], [true, true]);
    const from = freshRecipient();
    const written = await askAsPage(gateway, page, 'POST', `${DOOR}/inbound`, {
      body: { phone_number_id: tenant.phoneNumberId, from, text: 'Hello?' },
    });
    assert.equal(written.status, 200, written.text);
    const reply = await until('the window is open', async () => {
      const answer = await send(gateway, tenant, textTo(from, 'Yes?'), { query: '?sync=true' });
      return answer.status === 200 ? answer : undefined;
    });
    assert.ok(reply.json.messages[0].wamid);
    const received = await askAsPage(gateway, page, 'GET', `${DOOR}/sends?to=${encodeURIComponent(from)}`);
    assert.match(Buffer.from(received.json.data[0].body_base64, 'base64').toString(), /Yes\?/);
    const fault = await askAsPage(gateway, page, 'POST', `${DOOR}/faults`, { body: { kind: 'slow', delay_ms: 1 } });
    assert.equal(fault.status, 200, fault.text);
    assert.equal((await askAsPage(gateway, page, 'DELETE', `${DOOR}/faults/${fault.json.id}`)).status, 200);
    assert.deepEqual((await askAsPage(gateway, page, 'GET', `${DOOR}/faults`)).json.data, []);
    const refused = await askAsPage(gateway, page, 'POST', `${DOOR}/faults`, { body: { kind: 'none' } });
    assert.equal(refused.status, 400);
    assert.ok(refused.json.error);
  });

  it('other parts of the platform and of its controls → 404', async () => {
    const page = await signIn(gateway, { token: gateway.adminToken });
    for (const path of [
      'webhook-url',
      'webhook',
      'reset',
      'wabas',
      '..%2fv24.0%2fme',
      'sends/..%2f..%2fme',
      '%2e%2e/me',
    ]) {
      assertError(await askAsPage(gateway, page, 'POST', `${DOOR}/${path}`, { body: {} }), 404, 'NOT_FOUND');
    }
  });

  it('support, keys and strangers → refused', async () => {
    const { token } = await createOperator(gateway, 'support');
    const path = `${DOOR}/sends`;
    assertError(await askAsPage(gateway, await signIn(gateway, { token }), 'GET', path), 403, 'FORBIDDEN');
    const key = await signIn(gateway, { token: tenant.apiKey });
    assertError(await askAsPage(gateway, key, 'GET', path), 401, 'UNAUTHORIZED');
    assertError(await call(gateway, undefined, 'GET', path), 401, 'UNAUTHORIZED');
  });
});

describe('the door without a simulated platform', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  it('nothing behind it, whatever the platform is', async () => {
    await sendNow(gateway, tenant);
    const page = await signIn(gateway, { token: gateway.adminToken });
    assert.equal(page.signedIn.json.simulator, false);
    const answer = await askAsPage(gateway, page, 'POST', `${DOOR}/inbound`, { body: {} });
    assert.ok([404, 405].includes(answer.status), answer.text);
  });
});
