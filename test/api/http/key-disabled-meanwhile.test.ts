import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { encodeMultipart } from '../../harness/multipart.ts';
import { admin, call, freshRecipient, templateTo, until } from '../../harness/tenant.ts';
import { inboundText, nowSeconds, postChange } from '../../harness/upstream-webhook.ts';
import { SAMPLES } from '../../support/media-samples.ts';

describe('a key that is disabled', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  async function issueKey(): Promise<{ id: string; apiKey: string }> {
    const path = `/organizations/${tenant.organizationId}/api-keys`;
    const { id, key } = await admin<{ id: string; key: string }>(gateway, 'POST', path, {});
    assert.equal((await call(gateway, { apiKey: key }, 'GET', '/v1/messages')).status, 200);
    return { id, apiKey: key };
  }

  /** Opens a request whose body the test writes, once the gateway has authenticated it. */
  async function open(apiKey: string, path: string, headers: Record<string, string>): Promise<ClientRequest> {
    const arrival = once(gateway.app.http.server, 'request') as Promise<[IncomingMessage]>;
    const outgoing = request(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${apiKey}`, ...headers },
    });
    outgoing.flushHeaders();
    const [incoming] = await arrival;
    await until('the body is being read', () => incoming.listenerCount('data') > 0 || undefined);
    return outgoing;
  }

  async function statusOf(outgoing: ClientRequest): Promise<number | undefined> {
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  }

  it('while the body of a send arrives: nothing is sent', async () => {
    const { id, apiKey } = await issueKey();
    const sends = gateway.simulator.world.sends.total;
    const outgoing = await open(apiKey, `/v1/${tenant.phoneNumberId}/messages?sync=true`, {});
    await admin(gateway, 'DELETE', `/api-keys/${id}`);
    outgoing.end(JSON.stringify(templateTo(freshRecipient())));
    assert.equal(await statusOf(outgoing), 401);
    assert.equal(gateway.simulator.world.sends.total, sends);
  });

  it('while a file arrives: nothing is uploaded', async () => {
    const { id, apiKey } = await issueKey();
    const { body, headers } = encodeMultipart([
      { name: 'phone_number', value: tenant.phoneNumber },
      { name: 'file', value: SAMPLES['image/png'], fileName: 'a.png', contentType: 'image/png' },
    ]);
    const outgoing = await open(apiKey, '/v1/media/upload', headers);
    await admin(gateway, 'DELETE', `/api-keys/${id}`);
    outgoing.end(body);
    assert.equal(await statusOf(outgoing), 401);
  });

  it('while it waits for events: it gets none', async () => {
    const { id, apiKey } = await issueKey();
    const arrival = once(gateway.app.http.server, 'request');
    const waiting = call(gateway, { apiKey }, 'GET', '/v1/events?wait=30&after=now');
    await arrival;
    await admin(gateway, 'DELETE', `/api-keys/${id}`);
    const messages = [inboundText(freshRecipient().slice(1), nowSeconds())];
    await postChange(gateway, tenant, { messages });
    assert.equal((await waiting).status, 401);
  });
});
