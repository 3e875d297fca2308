import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fairway, InvalidRequestError } from '../../../clients/typescript/src/index.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { sendNow, until } from '../../harness/tenant.ts';

describe("a number's own things, with the typed client", () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);
  const clientOf = ({ apiKey } = tenant) => new Fairway({ baseUrl: gateway.baseUrl, apiKey, retries: 0 });

  it('a profile: changed, read with all or some members, each tenant its own', async () => {
    const { numbers } = clientOf();
    await numbers.updateProfile(tenant.phoneNumberId, { about: 'Open till six', websites: ['https://example.com'] });
    assert.deepEqual(await numbers.profile(tenant.phoneNumberId), {
      about: 'Open till six',
      websites: ['https://example.com'],
    });
    assert.deepEqual(await numbers.profile(tenant.phoneNumberId, { fields: 'about' }), { about: 'Open till six' });
    assert.deepEqual(await clientOf(other).numbers.profile(other.phoneNumberId), {});
    await assert.rejects(clientOf(other).numbers.profile(tenant.phoneNumberId), { status: 404 });
  });

  it('people: blocked, listed over several pages, unblocked', async () => {
    const { numbers } = clientOf();
    const people = Array.from({ length: 30 }, (_, index) => `+1202555${3000 + index}`);
    const { block_users } = await numbers.block(tenant.phoneNumberId, people);
    assert.equal(block_users.added_users?.length, 30);
    const listed: (string | undefined)[] = [];
    for await (const { wa_id } of numbers.blocked(tenant.phoneNumberId)) listed.push(wa_id);
    assert.deepEqual(listed.sort(), people.map((one) => one.slice(1)).sort());
    await numbers.unblock(tenant.phoneNumberId, people);
    assert.equal(gateway.simulator.world.edges.blockedBy(tenant.phoneNumberId).size, 0);
  });

  it('QR codes: created with an image, changed, listed, deleted', async () => {
    const { numbers } = clientOf();
    const { code, qr_image_url } = await numbers.createQrCode(tenant.phoneNumberId, 'Hello', { image: 'PNG' });
    assert.ok(qr_image_url);
    const changed = await numbers.updateQrCode(tenant.phoneNumberId, code, 'Hello again');
    assert.equal(changed.prefilled_message, 'Hello again');
    assert.deepEqual((await numbers.qrCodes(tenant.phoneNumberId).first()).data, [changed]);
    await numbers.deleteQrCode(tenant.phoneNumberId, code);
    assert.deepEqual((await numbers.qrCodes(tenant.phoneNumberId).first()).data, []);
  });

  it("the platform's refusal: an error with its status and its words", async () => {
    await assert.rejects(clientOf().numbers.createQrCode(tenant.phoneNumberId, ''), (error: unknown) => {
      assert.ok(error instanceof InvalidRequestError);
      assert.match(error.message, /prefilled_message/);
      return true;
    });
  });

  it("events in the platform's format", async () => {
    const { events } = clientOf();
    const { id } = await sendNow(gateway, tenant);
    const found = await until('a status in the feed', async () => {
      const { data } = await events.read({ format: 'cloud_api', message_ids: 'gateway', types: ['message.sent'] });
      return data.find((event) => JSON.stringify(event.data).includes(id));
    });
    assert.equal((found.data as unknown as { object: string }).object, 'whatsapp_business_account');
  });
});
