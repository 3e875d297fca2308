import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { admin, connectWaba, sendsTo } from '../../harness/tenant.ts';
import { begin, createNewcomer, freePort, type Newcomer, repeat, stepOf, untilRests, type View } from './onboarding.ts';

const DAY_S = 86_400;

/** A fault at the platform or here: how it is planted, the step that names it, and how a person takes it away. */
interface Fault {
  step: string;
  /** Words of the message. */
  named: RegExp;
  code?: string;
  /** Words of the advice. */
  advice: RegExp;
  plant(newcomer: Newcomer): unknown;
  /** Takes the fault away; returns the body of the repeat. */
  remove(newcomer: Newcomer, view: View): unknown;
  /** The step to repeat, if it is another one. */
  repeats?: string;
  /** Members of the request in place of the usual ones. */
  begins?: (newcomer: Newcomer) => Record<string, unknown>;
}

// The address of the gateway has to be known before it starts, as in a deployment.
const port = await freePort();
const address = `http://127.0.0.1:${port}`;

describe('planted faults: named, explained, and the run goes through once they are gone', () => {
  const gateway = useGateway({ port, publicUrl: address });
  const other = useTenant(gateway);
  const world = () => gateway.simulator.world;
  const describeToken = ({ wabaId }: Newcomer, facts: Record<string, unknown>) => world().describeToken(wabaId, facts);
  const heal = (newcomer: Newcomer) => {
    describeToken(newcomer, {});
    return undefined;
  };
  const codeOf = ({ wabaId }: Newcomer) => ({ code: world().issueSignupCode(wabaId) });
  const own = `${address}/webhooks/upstream`;

  const FAULTS: Record<string, Fault> = {
    'code expired': {
      ...{ step: 'exchange_code', named: /has expired/, code: '100', advice: /30 seconds/ },
      plant() {},
      begins: ({ wabaId }) => ({ code: world().issueSignupCode(wabaId, { lifeMs: 0 }) }),
      remove: codeOf,
    },
    'code of another address': {
      ...{ step: 'exchange_code', named: /redirect_uri/, code: '100', advice: /address of its dialog/ },
      plant() {},
      begins: ({ wabaId }) => ({
        ...{ code: world().issueSignupCode(wabaId, { redirectUri: 'https://one.example.com/' }) },
        redirect_uri: 'https://two.example.com/',
      }),
      remove: codeOf,
    },
    'token revoked': {
      ...{ step: 'check_token', named: /not valid/, code: '190', advice: /new token/ },
      plant() {},
      begins: () => ({ access_token: 'EAArevoked' }),
      remove: ({ accessToken }) => ({ access_token: accessToken }),
    },
    'token of another app': {
      ...{ step: 'check_token', named: /belongs to the app 999/, advice: /Make the token with the app/ },
      plant: (newcomer) => describeToken(newcomer, { app_id: '999' }),
      remove: heal,
    },
    'permission to send missing': {
      ...{
        step: 'check_token',
        named: /lacks the permission whatsapp_business_messaging/,
        code: '200',
        advice: /Add it/,
      },
      plant: (newcomer) => describeToken(newcomer, { scopes: ['whatsapp_business_management'] }),
      remove: heal,
    },
    'permission to manage missing': {
      ...{
        step: 'check_token',
        named: /lacks the permission whatsapp_business_management/,
        code: '200',
        advice: /Add it/,
      },
      plant: (newcomer) => describeToken(newcomer, { scopes: ['whatsapp_business_messaging'] }),
      remove: heal,
    },
    'token reaches no account': {
      ...{ step: 'check_token', named: /reaches no business account/, advice: /share an account/ },
      plant: (newcomer) => describeToken(newcomer, { granular_scopes: [] }),
      remove: heal,
    },
    'token expires soon': {
      ...{ step: 'check_token', named: /expires on 20/, advice: /never expires/ },
      plant: (newcomer) => describeToken(newcomer, { expires_at: Math.floor(Date.now() / 1000) + DAY_S }),
      remove: heal,
    },
    'account of another organization': {
      ...{
        step: 'connect_account',
        named: /connected to another organization/,
        code: 'CONFLICT',
        advice: /disconnect it/,
      },
      plant: ({ wabaId }) => connectWaba(gateway, other.organizationId, wabaId),
      remove: ({ wabaId }) => admin(gateway, 'DELETE', `/wabas/${wabaId}`),
    },
    'webhooks of the app elsewhere': {
      ...{ step: 'app_fields', named: /go to https:\/\/elsewhere\.example\.com/, advice: /replace_callback/ },
      plant: () => world().setWebhookUrl('https://elsewhere.example.com/hook'),
      remove: () => world().setWebhookUrl(own),
    },
    'webhooks of the number elsewhere': {
      ...{ step: 'account_subscription', named: /override of the number/, advice: /Remove the override/ },
      plant: ({ phoneNumberId }) =>
        world().updateNumber(phoneNumberId, { overrideCallbackUri: 'https://elsewhere.example.com/hook' }),
      remove: ({ phoneNumberId }) => void world().updateNumber(phoneNumberId, { overrideCallbackUri: null }),
    },
    'number not verified': {
      ...{ step: 'verify_number', named: /not verified/, code: '133006', advice: /request_code/ },
      plant: ({ phoneNumberId }) => setVerification(phoneNumberId, 'NOT_VERIFIED'),
      async remove(newcomer, { id }) {
        await repeat(gateway, newcomer, id, 'verify_number', { request_code: 'SMS' });
        await untilRests(gateway, newcomer, id);
        return { verification_code: '123-456' };
      },
    },
    'number on the business app only': {
      ...{ step: 'verify_number', named: /Business app only/, advice: /beside the API/ },
      plant: ({ phoneNumberId }) => world().updateNumber(phoneNumberId, { isOnBizApp: true }),
      remove: ({ phoneNumberId }) =>
        void world().updateNumber(phoneNumberId, { platformType: 'CLOUD_API', status: 'CONNECTED' }),
    },
    'another PIN': {
      ...{ step: 'register_number', named: /PIN Mismatch/, code: '133005', advice: /Repeat this step with the PIN/ },
      plant: ({ phoneNumberId }) => world().setPin(phoneNumberId, '246813'),
      remove: () => ({ pin: '246813' }),
    },
    'number deleted a short time ago': {
      ...{
        step: 'register_number',
        named: /does not take the registration now/,
        code: '133015',
        advice: /five minutes/,
      },
      plant: ({ phoneNumberId }) => setAttributes(phoneNumberId, { recently_deleted: true }),
      remove: ({ phoneNumberId }) => setAttributes(phoneNumberId, { recently_deleted: false }),
    },
    'too many registrations': {
      ...{ step: 'register_number', named: /does not take the registration now/, code: '133016', advice: /72 hours/ },
      plant: ({ phoneNumberId }) => world().setRegistrations(phoneNumberId, 10),
      remove: ({ phoneNumberId }) => world().setRegistrations(phoneNumberId, 0),
    },
    'no payment method': {
      ...{ step: 'test_message', named: /failed/, code: '131042', advice: /payment method/ },
      plant: ({ wabaId }) => world().addFault({ fault: { kind: 'fail', code: 131042 }, scope: { wabaId } }),
      remove: () => world().clearFaults(),
    },
    'template absent': {
      ...{
        step: 'test_message',
        named: /refused the test message/,
        code: 'TEMPLATE_NOT_FOUND',
        advice: /Create the template absent/,
      },
      plant() {},
      begins: ({ accessToken }) => ({
        access_token: accessToken,
        template: { name: 'absent', language: 'en_US' },
      }),
      remove: () => ({ template: { name: 'hello_world', language: 'en_US' } }),
    },
    'template paused': {
      ...{
        step: 'test_message',
        named: /refused the test message/,
        code: 'TEMPLATE_NOT_APPROVED',
        advice: /no longer paused/,
      },
      plant: ({ wabaId }) => world().setTemplateStatus(templateOf(wabaId), { status: 'PAUSED' }),
      async remove({ wabaId }) {
        await world().setTemplateStatus(templateOf(wabaId), { status: 'APPROVED' });
        await world().whenQuiet();
        await admin(gateway, 'POST', `/wabas/${wabaId}/sync`);
      },
    },
  };

  const templateOf = (wabaId: string) => world().accounts.findTemplateByName(wabaId, 'hello_world', 'en_US')?.id ?? '';
  const setAttributes = (id: string, attributes: Record<string, unknown>) =>
    void world().updateNumber(id, {
      attributes: { ...world().accounts.findNumber(id)?.attributes, ...attributes },
    });
  const setVerification = (id: string, word: string) => setAttributes(id, { code_verification_status: word });

  for (const [name, fault] of Object.entries(FAULTS)) {
    it(name, async () => {
      world().setWebhookUrl(own);
      const newcomer = await createNewcomer(gateway);
      await fault.plant(newcomer);
      const { id } = await begin(gateway, newcomer, {
        test_recipient: newcomer.recipient,
        ...(fault.begins?.(newcomer) ?? { access_token: newcomer.accessToken }),
      });
      const found = await untilRests(gateway, newcomer, id);
      assert.equal(found.state, 'failed', JSON.stringify(found.steps));
      const step = stepOf(found, fault.step);
      assert.equal(step.state, 'failed', JSON.stringify(found.steps));
      assert.match(step.message, fault.named);
      assert.match(step.advice, fault.advice);
      if (fault.code !== undefined) assert.equal(step.code, fault.code);

      const body = await fault.remove(newcomer, found);
      const again = await repeat(gateway, newcomer, id, fault.step, body ?? {});
      assert.equal(again.status, 200, again.text);
      const view = await untilRests(gateway, newcomer, id);
      assert.equal(view.state, 'done', JSON.stringify(view.steps));
      assert.ok(sendsTo(gateway, newcomer.recipient).length > 0);
    });
  }

  it('code used twice → the second onboarding fails, the first goes on', async () => {
    const newcomer = await createNewcomer(gateway);
    const code = world().issueSignupCode(newcomer.wabaId);
    const [first, second] = [await begin(gateway, newcomer, { code }), await begin(gateway, newcomer, { code })];
    assert.match(stepOf(await untilRests(gateway, newcomer, second.id), 'exchange_code').message, /has been used/);
    assert.equal((await untilRests(gateway, newcomer, first.id)).state, 'done');
  });

  it('field "messages" not subscribed → added, and the other fields stay', async () => {
    const newcomer = await createNewcomer(gateway);
    world().settings.appFields = ['security'];
    const { id } = await begin(gateway, newcomer, { access_token: newcomer.accessToken });
    const step = stepOf(await untilRests(gateway, newcomer, id), 'app_fields');
    assert.equal(step.state, 'done');
    assert.match(step.message, /missing fields messages/);
    const fields = world().settings.appFields ?? [];
    assert.ok(fields.includes('messages') && fields.includes('security'), String(fields));
  });

  it('webhooks of the app elsewhere → taken only when a person asks for it', async () => {
    const newcomer = await createNewcomer(gateway);
    world().setWebhookUrl('https://elsewhere.example.com/hook');
    const { id } = await begin(gateway, newcomer, { access_token: newcomer.accessToken });
    await untilRests(gateway, newcomer, id);
    await repeat(gateway, newcomer, id, 'app_fields');
    assert.equal(stepOf(await untilRests(gateway, newcomer, id), 'app_fields').state, 'failed');
    assert.equal(world().settings.webhookUrl, 'https://elsewhere.example.com/hook');
    await repeat(gateway, newcomer, id, 'app_fields', { replace_callback: true });
    assert.equal((await untilRests(gateway, newcomer, id)).state, 'done');
    assert.equal(world().settings.webhookUrl, own);
  });

  it('several accounts and numbers → a person chooses', async () => {
    const newcomer = await createNewcomer(gateway);
    const serial = String(randomInt(100_000_000, 999_999_999));
    const [wabaId, one, two] = [`72${serial}`, `83${serial}`, `84${serial}`];
    const number = (numberId: string) => ({
      ...{ id: numberId, displayPhoneNumber: `+1${numberId.slice(1)}` },
      ...{ status: 'PENDING', platformType: 'NOT_APPLICABLE' },
    });
    world().addWaba({ id: wabaId, accessToken: newcomer.accessToken, numbers: [number(one), number(two)] });
    const { id } = await begin(gateway, newcomer, { access_token: newcomer.accessToken });
    const first = await untilRests(gateway, newcomer, id);
    assert.equal(first.state, 'waiting');
    const accounts = stepOf(first, 'check_token').choices.map((choice: { id: string }) => choice.id);
    assert.deepEqual(accounts.sort(), [newcomer.wabaId, wabaId].sort());
    assert.equal((await repeat(gateway, newcomer, id, 'check_token', { waba_id: wabaId })).status, 200);
    const second = await untilRests(gateway, newcomer, id);
    assert.equal(second.state, 'waiting');
    assert.equal(stepOf(second, 'connect_account').choices.length, 2);
    assert.equal((await repeat(gateway, newcomer, id, 'connect_account', { phone_number_id: two })).status, 200);
    const third = await untilRests(gateway, newcomer, id);
    assert.equal(third.state, 'done', JSON.stringify(third.steps));
    assert.equal(world().accounts.findNumber(two)?.platformType, 'CLOUD_API');
    assert.equal(world().accounts.findNumber(one)?.platformType, 'NOT_APPLICABLE');
  });
});
