import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { API_KEY_PREFIX, makeToken } from '../../../src/http/index.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { type Answer, call, freshRecipient, send, sendTemplate, templateTo, until } from '../../harness/tenant.ts';

const AT_ONCE = 600;

describe('many look-ups and changes of one organization at once', () => {
  const gateway = useGateway();
  const busy = useTenant(gateway);
  const other = useTenant(gateway);

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
    it(`do not delay other organizations' messages: ${what}`, async () => {
      await assertOthersServed(() => call(gateway, busy, method, path));
    });
  }

  it("do not delay other organizations' messages: sends that name media", async () => {
    const image = { to: freshRecipient(), type: 'image', image: { id: '1' } };
    await assertOthersServed(() => send(gateway, busy, image));
  });

  it("do not delay other organizations' messages: invented keys", async () => {
    await assertOthersServed(() => call(gateway, { apiKey: makeToken(API_KEY_PREFIX) }, 'GET', '/v1/messages'));
  });

  it("take turns with other organizations' look-ups", async () => {
    let answered = 0;
    const crowd = Array.from({ length: AT_ONCE }, () =>
      call(gateway, busy, 'GET', '/v1/messages?status=failed').then(() => {
        answered += 1;
      }),
    );
    await until('the crowd is being served', () => (answered > 0 ? true : undefined));
    const id = await sendTemplate(gateway, other, freshRecipient());
    for (const path of [`/v1/messages/${id}`, '/v1/messages', '/v1/events', `/v1/messages/${id}/timeline`]) {
      assert.equal((await call(gateway, other, 'GET', path)).status, 200);
    }
    const before = answered;
    await Promise.all(crowd);
    assert.ok(before < AT_ONCE / 2, `${before} of ${AT_ONCE} had been answered before`);
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
