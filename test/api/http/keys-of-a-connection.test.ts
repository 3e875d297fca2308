import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { endBefore, useGateway, useTenant } from '../../harness/fixtures.ts';
import { admin, freshRecipient, sendTemplate } from '../../harness/tenant.ts';

describe('requests of one connection', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<Socket>();
  const gateway = useGateway();
  const first = useTenant(gateway);
  const second = useTenant(gateway);
  endBefore(gateway, async () => agent.destroy());

  async function statusOf(apiKey: string | undefined, path: string): Promise<number | undefined> {
    const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const outgoing = request(`${gateway.baseUrl}${path}`, { agent, headers }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    sockets.add(response.socket);
    response.resume();
    await once(response, 'end');
    return response.statusCode;
  }

  it('are authenticated one by one, whichever key the connection used before', async () => {
    const [ofFirst, ofSecond] = [
      `/v1/messages/${await sendTemplate(gateway, first, freshRecipient())}`,
      `/v1/messages/${await sendTemplate(gateway, second, freshRecipient())}`,
    ];
    for (let round = 0; round < 2; round += 1) {
      assert.equal(await statusOf(first.apiKey, ofFirst), 200);
      assert.equal(await statusOf(first.apiKey, ofSecond), 404);
      assert.equal(await statusOf(second.apiKey, ofSecond), 200);
      assert.equal(await statusOf(second.apiKey, ofFirst), 404);
      assert.equal(await statusOf(`${second.apiKey}x`, ofSecond), 401);
      assert.equal(await statusOf(undefined, ofSecond), 401);
    }
    assert.equal(sockets.size, 1, 'all of them came over one connection');
  });

  it('are refused once their key is disabled, even if the connection used it before', async () => {
    const path = `/organizations/${first.organizationId}/api-keys`;
    const { id, key } = await admin<{ id: string; key: string }>(gateway, 'POST', path, {});
    assert.deepEqual([await statusOf(key, '/v1/messages'), await statusOf(key, '/v1/messages')], [200, 200]);
    await admin(gateway, 'DELETE', `/api-keys/${id}`);
    assert.equal(await statusOf(key, '/v1/messages'), 401);
    assert.equal(await statusOf(first.apiKey, '/v1/messages'), 200);
  });
});
