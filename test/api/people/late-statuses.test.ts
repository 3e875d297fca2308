import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { tablesWith } from '../../harness/tables-with.ts';
import { call, freshRecipient, readMessage, sendNow, until } from '../../harness/tenant.ts';
import { messagesChange, nowSeconds, payloadOf, postWebhook, statusOf } from '../../harness/upstream-webhook.ts';

describe('statuses that arrive after an erasure', () => {
  const gateway = useGateway({ postsOwnWebhooks: true });
  const tenant = useTenant(gateway);

  const post = (...statuses: unknown[]) =>
    postWebhook(gateway, payloadOf(tenant, messagesChange(tenant, { statuses })));

  const search = (text: string) => tablesWith(gateway.app.db, text);

  async function erase(phone: string): Promise<void> {
    const erasure = await call(gateway, tenant, 'DELETE', `/v1/people/${phone}`);
    await until('the erasure is done', async () => {
      const receipt = await call(gateway, tenant, 'GET', `/v1/erasures/${erasure.json.id}`);
      return receipt.json.status === 'done' ? true : undefined;
    });
  }

  it('a batch that cannot be applied at once: no status in it is lost', async () => {
    const { db } = gateway.app;
    const to = freshRecipient();
    const erased = await sendNow(gateway, tenant, to);
    await erase(to.slice(1));
    const other = await sendNow(gateway, tenant);
    await db.query({
      text: `CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now' USING ERRCODE = '55000'; END $$`,
    });
    await db.query({
      text: 'CREATE TRIGGER refuse BEFORE UPDATE ON message FOR EACH ROW EXECUTE FUNCTION refuse_change()',
    });
    const statuses = [erased, other].map(({ wamid }) => statusOf(wamid, 'delivered', nowSeconds()));
    assert.equal((await post(...statuses)).status, 200);
    assert.equal((await readMessage(gateway, tenant, other.id)).status, 'sent');
    await db.query({ text: 'DROP TRIGGER refuse ON message' });
    for (const { id } of [erased, other]) {
      await until('the status is applied', async () => {
        return (await readMessage(gateway, tenant, id)).status === 'delivered' ? true : undefined;
      });
    }
  });

  it('names of the person: stored nowhere again; times and counts are', async () => {
    const to = freshRecipient();
    const phone = to.slice(1);
    const userId = `US.${randomBytes(10).toString('hex')}`;
    const names = { recipient_id: phone, recipient_user_id: userId };
    const { id, wamid } = await sendNow(gateway, tenant, to);
    assert.equal((await post(statusOf(wamid, 'sent', nowSeconds(), names))).status, 200);
    assert.notDeepEqual(await search(phone), []);
    await erase(phone);
    const other = await sendNow(gateway, tenant);
    const late = [statusOf(wamid, 'delivered', nowSeconds(), names), statusOf(wamid, 'read', nowSeconds(), names)];
    for (const status of late) assert.equal((await post(status)).status, 200);
    assert.equal((await post(statusOf(other.wamid, 'delivered', nowSeconds()))).status, 200);
    for (const name of [phone, userId, wamid]) assert.deepEqual(await search(name), [], name);
    const message = await readMessage(gateway, tenant, id);
    assert.deepEqual([message.status, message.recipient_phone, message.user_id], ['read', null, null]);
    assert.ok(message.delivered_at !== null);
    assert.notDeepEqual(await search(other.wamid), []);
  });
});
