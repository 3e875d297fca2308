import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { makeApiKey } from '../../../src/organizations/api-key-format.ts';
import { type Gateway, startGateway } from '../../harness/gateway.ts';
import {
  type Answer,
  call,
  createTenant,
  freshRecipient,
  send,
  type Tenant,
  templateTo,
} from '../../harness/tenant.ts';

const AT_ONCE = 600;

describe('what one organization looks up and changes, however much at once', () => {
  let gateway: Gateway;
  let busy: Tenant;
  let other: Tenant;
  before(async () => {
    gateway = await startGateway();
    busy = await createTenant(gateway);
    other = await createTenant(gateway);
  });
  after(() => gateway.stop());

  const absent = '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30';
  const crowds: [what: string, method: string, path: string][] = [
    ['reads of messages', 'GET', `/v1/messages/${absent}`],
    ['lists of messages', 'GET', '/v1/messages?status=failed'],
    ['pulls of events', 'GET', '/v1/events?type=webhook.disabled'],
    ['reads of templates', 'GET', '/v1/templates/1'],
    ['reads of nodes', 'GET', '/v1/1'],
    ['changes of an endpoint', 'DELETE', `/v1/webhooks/${absent}`],
  ];
  for (const [what, method, path] of crowds) {
    it(`keeps nobody else's messages from being accepted: ${what}`, async () => {
      await assertOthersServed(() => call(gateway, busy, method, path));
    });
  }

  it("keeps nobody else's messages from being accepted: sends that name media", async () => {
    const image = { to: freshRecipient(), type: 'image', image: { id: '1' } };
    await assertOthersServed(() => send(gateway, busy, image));
  });

  it("keeps nobody else's messages from being accepted: made-up keys", async () => {
    await assertOthersServed(() => call(gateway, { apiKey: makeApiKey(randomInt) }, 'GET', '/v1/messages'));
  });

  async function assertOthersServed(one: () => Promise<Answer>): Promise<void> {
    const crowd = Promise.all(Array.from({ length: AT_ONCE }, one));
    let ended = false;
    void crowd.finally(() => {
      ended = true;
    });
    const statuses: number[] = [];
    do statuses.push((await send(gateway, other, templateTo(freshRecipient()))).status);
    while (!ended);
    assert.deepEqual([...new Set(statuses)], [202]);
  }
});
