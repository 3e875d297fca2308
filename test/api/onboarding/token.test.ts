import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { askAdmin, call, issueKey, sendsTo, until } from '../../harness/tenant.ts';
import { begin, createNewcomer, read, repeat, statesOf, stepOf, untilRests } from './onboarding.ts';

const NAMES = [
  'exchange_code',
  'check_token',
  'connect_account',
  'app_fields',
  'account_subscription',
  'verify_number',
  'register_number',
  'test_message',
];

describe('POST /admin/v1/organizations/{org_id}/onboardings', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  it('access token → registered number and delivered message', async () => {
    const newcomer = await createNewcomer(gateway);
    const { id, state, steps } = await begin(gateway, newcomer, {
      access_token: newcomer.accessToken,
      test_recipient: newcomer.recipient,
    });
    assert.equal(state, 'running');
    assert.deepEqual(
      steps.map((step: { step: string }) => step.step),
      NAMES,
    );
    const view = await untilRests(gateway, newcomer, id);
    assert.deepEqual(
      statesOf(view),
      Object.fromEntries(NAMES.map((name) => [name, name === 'exchange_code' ? 'skipped' : 'done'])),
    );
    assert.equal(view.state, 'done');
    assert.equal(view.waba_id, newcomer.wabaId);
    assert.equal(view.phone_number_id, newcomer.phoneNumberId);
    assert.equal(view.test_recipient, null);
    assert.equal(sendsTo(gateway, newcomer.recipient).length, 1);
    const { world } = gateway.simulator;
    assert.equal(world.accounts.findNumber(newcomer.phoneNumberId)?.platformType, 'CLOUD_API');
    assert.equal(world.accounts.findWaba(newcomer.wabaId)?.subscribed, true);
  });

  it('a code for a number asked for after the end → 409, no call', async () => {
    const newcomer = await createNewcomer(gateway, {
      number: { attributes: { code_verification_status: 'NOT_VERIFIED' } },
    });
    const { id } = await begin(gateway, newcomer, { access_token: newcomer.accessToken });
    assert.equal((await untilRests(gateway, newcomer, id)).state, 'failed');
    const path = `/organizations/${newcomer.organizationId}/onboardings/${id}`;
    assert.equal((await askAdmin(gateway, 'DELETE', path)).status, 204);
    const { calls } = gateway.simulator.world;
    const last = calls.list().at(-1)?.sequence ?? 0;
    for (const body of [{ request_code: 'SMS' }, { verification_code: '123-456' }])
      assertError(await repeat(gateway, newcomer, id, 'verify_number', body), 409, 'CONFLICT');
    assert.deepEqual(calls.list(last), []);
  });

  it('PIN made by the gateway → shown once, and it is the number’s', async () => {
    const newcomer = await createNewcomer(gateway);
    const { id } = await begin(gateway, newcomer, { access_token: newcomer.accessToken });
    const view = await untilRests(gateway, newcomer, id);
    assert.equal(view.has_pin, true);
    const path = `/organizations/${newcomer.organizationId}/onboardings/${id}/pin`;
    const { status, json } = await askAdmin(gateway, 'POST', path);
    assert.equal(status, 200);
    assert.equal(gateway.simulator.world.edges.pins.get(newcomer.phoneNumberId), json.pin);
    assertError(await askAdmin(gateway, 'POST', path), 404, 'NOT_FOUND');
    assert.equal((await read(gateway, newcomer, id)).has_pin, false);
  });

  it('no recipient → test message skipped; a repeat with one sends it', async () => {
    const newcomer = await createNewcomer(gateway);
    const { id } = await begin(gateway, newcomer, { access_token: newcomer.accessToken });
    assert.equal(statesOf(await untilRests(gateway, newcomer, id)).test_message, 'skipped');
    const body = { test_recipient: newcomer.recipient };
    assert.equal((await repeat(gateway, newcomer, id, 'test_message', body)).status, 200);
    assert.equal(stepOf(await untilRests(gateway, newcomer, id), 'test_message').state, 'done');
    assert.equal(sendsTo(gateway, newcomer.recipient).length, 1);
  });

  it('repeat of a finished step → looks again, sends no second message', async () => {
    const newcomer = await createNewcomer(gateway);
    const body = { access_token: newcomer.accessToken, test_recipient: newcomer.recipient };
    const { id } = await begin(gateway, newcomer, body);
    await untilRests(gateway, newcomer, id);
    assert.equal((await repeat(gateway, newcomer, id, 'check_token')).status, 200);
    assert.equal((await untilRests(gateway, newcomer, id)).state, 'done');
    assert.equal((await repeat(gateway, newcomer, id, 'test_message')).status, 200);
    assert.equal((await untilRests(gateway, newcomer, id)).state, 'done');
    assert.equal(sendsTo(gateway, newcomer.recipient).length, 1);
  });

  it('end → no more steps, repeats refused; the account stays', async () => {
    const newcomer = await createNewcomer(gateway);
    const { id } = await begin(gateway, newcomer, { access_token: newcomer.accessToken });
    await untilRests(gateway, newcomer, id);
    const path = `/organizations/${newcomer.organizationId}/onboardings`;
    assert.equal((await askAdmin(gateway, 'DELETE', `${path}/${id}`)).status, 204);
    assertError(await repeat(gateway, newcomer, id, 'check_token'), 409, 'CONFLICT');
    const { json } = await askAdmin(gateway, 'GET', path);
    assert.deepEqual(
      json.data.map((one: { id: string; state: string }) => [one.id, one.state]),
      [[id, 'ended']],
    );
    assert.equal(gateway.simulator.world.accounts.findWaba(newcomer.wabaId)?.subscribed, true);
  });

  it('onboarding of another organization → 404, like an absent one', async () => {
    const newcomer = await createNewcomer(gateway);
    const { id } = await begin(gateway, newcomer, { access_token: newcomer.accessToken });
    await untilRests(gateway, newcomer, id);
    const path = `/organizations/${tenant.organizationId}/onboardings/${id}`;
    for (const [method, suffix] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/pin'],
      ['POST', '/steps/check_token'],
    ] as const) {
      assertError(await askAdmin(gateway, method, `${path}${suffix}`), 404, 'NOT_FOUND');
    }
  });

  it('erased person → no longer the recipient of a test message', async () => {
    const newcomer = await createNewcomer(gateway);
    const body = { access_token: 'unknown', test_recipient: newcomer.recipient };
    const { id } = await begin(gateway, newcomer, body);
    assert.equal((await untilRests(gateway, newcomer, id)).test_recipient, newcomer.recipient);
    const { key } = await issueKey(gateway, newcomer, { scopes: ['people'] });
    const path = `/v1/people/${encodeURIComponent(newcomer.recipient)}`;
    assert.equal((await call(gateway, { apiKey: key }, 'DELETE', path)).status, 202);
    await until('the recipient is forgotten', async () => {
      const { test_recipient } = await read(gateway, newcomer, id);
      return test_recipient === null ? true : undefined;
    });
  });

  it('bad bodies → 400', async () => {
    const newcomer = await createNewcomer(gateway);
    const path = `/organizations/${newcomer.organizationId}/onboardings`;
    for (const body of [
      {},
      { access_token: 'a', code: 'b' },
      { access_token: 'a', pin: '12' },
      { access_token: 'a', test_recipient: '12' },
      { access_token: 'a', waba_id: 'x' },
      { access_token: 'a b' },
      { access_token: 'a', other: 1 },
    ]) {
      assertError(await askAdmin(gateway, 'POST', path, body), 400, 'VALIDATION_ERROR');
    }
    const test = await askAdmin(gateway, 'POST', '/organizations', { name: 'For tests', test: true });
    const refused = await askAdmin(gateway, 'POST', `/organizations/${test.json.id}/onboardings`, {
      access_token: 'a',
    });
    assertError(refused, 400, 'VALIDATION_ERROR');
  });
});
