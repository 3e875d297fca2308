import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway } from '../../harness/fixtures.ts';
import {
  admin,
  askAdmin,
  call,
  createTenant,
  freshRecipient,
  pause,
  readMessage,
  send,
  sendTemplate,
  type Tenant,
  templateTo,
  textTo,
  untilStatus,
} from '../../harness/tenant.ts';
import { inboundText, nowSeconds, postChange, statusOf } from '../../harness/upstream-webhook.ts';

describe("a number that the platform moved to another organization's account", () => {
  const gateway = useGateway();
  afterEach(() => gateway.simulator.world.clearFaults());

  const connect = ({ organizationId, wabaId }: Tenant) => {
    const accessToken = gateway.simulator.world.accounts.findWaba(wabaId)?.accessToken;
    return askAdmin(gateway, 'POST', `/organizations/${organizationId}/wabas`, {
      waba_id: wabaId,
      access_token: accessToken,
    });
  };
  /** Creates two tenants; at the platform, the first one's number now belongs to the second one's account. */
  const createMoved = async () => {
    const [former, owner] = [await createTenant(gateway), await createTenant(gateway)];
    const kept = { ...former, phoneNumberId: `9${former.phoneNumberId}` };
    gateway.simulator.world.addNumber(former.wabaId, { id: kept.phoneNumberId, displayPhoneNumber: '+49 30 901820' });
    await admin(gateway, 'POST', `/wabas/${former.wabaId}/sync`);
    const sent = await sendTemplate(gateway, former, freshRecipient());
    const message = await untilStatus(gateway, former, sent, 'read');
    await pause(gateway, former);
    const waiting = await sendTemplate(gateway, former, freshRecipient());
    const { phoneNumberId, phoneNumber } = former;
    const move = () =>
      gateway.simulator.world.addNumber(owner.wabaId, { id: phoneNumberId, displayPhoneNumber: phoneNumber });
    return { former, kept, owner: { ...owner, phoneNumberId, phoneNumber }, move, message, sent, waiting };
  };

  it('belongs to the new owner after a read of the account, without former data', async () => {
    const { former, kept, owner, move, message, sent, waiting } = await createMoved();
    move();
    const answer = await connect(owner);
    assert.equal(answer.status, 201, answer.text);
    const taken = answer.json.numbers.find(
      (one: { phone_number_id: string }) => one.phone_number_id === owner.phoneNumberId,
    );
    assert.notEqual(taken.account_id, former.accountId);
    assertError(await send(gateway, former, templateTo(freshRecipient())), 404, 'ACCOUNT_NOT_FOUND');
    assert.equal((await untilStatus(gateway, former, waiting, 'failed')).error_code, 'CANCELLED');
    await untilStatus(gateway, owner, await sendTemplate(gateway, owner, freshRecipient()), 'read');
    await untilStatus(gateway, kept, await sendTemplate(gateway, kept, freshRecipient()), 'read');

    assertError(await call(gateway, owner, 'GET', `/v1/messages/${sent}`), 404, 'NOT_FOUND');
    assert.equal((await readMessage(gateway, former, sent)).status, 'read');
    const listed = await call(gateway, owner, 'GET', `/v1/messages?number=${owner.phoneNumberId}`);
    assert.equal(listed.json.data.length, 1);
    const stranger = await createTenant(gateway);
    const list = `/v1/messages?number=${owner.phoneNumberId}`;
    assertError(await call(gateway, stranger, 'GET', list), 404, 'ACCOUNT_NOT_FOUND');
    const contradiction = statusOf(message.message_id, 'failed', nowSeconds(), {
      errors: [{ code: 131026, title: 'late' }],
    });
    await postChange(gateway, owner, { statuses: [contradiction] });
    const timeline = await call(gateway, former, 'GET', `/v1/messages/${sent}/timeline`);
    assert.ok(timeline.text.includes('131026'), "a status of the first one's message is the first one's");
  });

  it('moves by a sync as well, and back again', async () => {
    const { former, owner, move } = await createMoved();
    move();
    await admin(gateway, 'POST', `/wabas/${owner.wabaId}/sync`);
    await untilStatus(gateway, owner, await sendTemplate(gateway, owner, freshRecipient()), 'read');
    const { phoneNumberId: id, phoneNumber: displayPhoneNumber } = former;
    gateway.simulator.world.addNumber(former.wabaId, { id, displayPhoneNumber });
    await admin(gateway, 'POST', `/wabas/${former.wabaId}/sync`);
    await untilStatus(gateway, former, await sendTemplate(gateway, former, freshRecipient()), 'read');
    assertError(await send(gateway, owner, templateTo(freshRecipient())), 404, 'ACCOUNT_NOT_FOUND');
  });

  it('inbound messages before that read: not shown to the former owner', async () => {
    const { former, kept, owner, move } = await createMoved();
    move();
    const [from, sender] = [freshRecipient().slice(1), freshRecipient().slice(1)];
    const messages = [inboundText(from, nowSeconds())];
    await postChange(gateway, owner, { messages });
    const toKept = [inboundText(sender, nowSeconds())];
    await postChange(gateway, kept, { messages: toKept });
    const writtenBy = async (tenant: Tenant, person: string) =>
      (await call(gateway, tenant, 'GET', `/v1/messages?recipient=${person}`)).json.data.length;
    assert.deepEqual([await writtenBy(former, from), await writtenBy(former, sender)], [0, 1]);
    const another = freshRecipient().slice(1);
    const connecting = { ...owner, wabaId: `9${owner.wabaId}` };
    await postChange(gateway, connecting, { messages: [inboundText(another, nowSeconds())] });
    assert.equal(await writtenBy(former, another), 0, 'nor under an account that nobody has yet');
    assertError(await send(gateway, former, textTo(`+${from}`)), 403, 'OUTSIDE_24H_WINDOW');
  });

  it("moves even if the former account's token is invalid", async () => {
    const { former, owner, move, waiting } = await createMoved();
    move();
    gateway.simulator.world.rotateToken(former.wabaId, 'EAArotated');
    assert.equal((await connect(owner)).status, 201);
    await untilStatus(gateway, former, waiting, 'failed');
  });

  it('stays while the platform cannot confirm that it has moved', async () => {
    const { former, owner, move, waiting } = await createMoved();
    move();
    const fault = { kind: 'http', httpStatus: 503 } as const;
    gateway.simulator.world.addFault({ fault, scope: { endpoint: 'numbers', wabaId: former.wabaId } });
    assertError(await connect(owner), 503, 'UNAVAILABLE');
    assert.equal((await readMessage(gateway, former, waiting)).status, 'queued');
    gateway.simulator.world.clearFaults();
    assert.equal((await connect(owner)).status, 201);
  });
});
