import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { endBefore, useFurtherNode, useGateway, useTenant } from '../../harness/fixtures.ts';
import type { Gateway } from '../../harness/gateway.ts';
import { startTcpProxy, type TcpProxy } from '../../harness/tcp-proxy.ts';
import {
  admin,
  freshRecipient,
  pause,
  readMessage,
  resume,
  sendNow,
  sendTemplate,
  until,
  untilStatus,
} from '../../harness/tenant.ts';

async function readMetrics({ baseUrl, adminToken }: Gateway): Promise<string> {
  const answer = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } });
  return await answer.text();
}

/** The sending node's connection for changes has gone silent. */
describe('while the node that owns a number receives no changes', () => {
  let proxy: TcpProxy;
  const gateway = useGateway({ isOneOfSeveral: true, roles: ['api', 'deliver'] });
  const sender = useFurtherNode(gateway, {
    roles: ['dispatch'],
    async reachDatabase(connectionString) {
      const url = new URL(connectionString);
      proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
      url.port = String(proxy.port);
      return url.href;
    },
  });
  const tenant = useTenant(gateway);
  const neighbour = useTenant(gateway);
  before(async () => {
    for (const each of [tenant, neighbour]) await sendNow(gateway, each);
  });
  endBefore(gateway, async () => {
    // The node's stop writes to the database, through a proxy that a test has silenced.
    await proxy.cut();
    await proxy.mend();
  });
  after(() => proxy.close());

  const numbersPaused = async () => /^fairway_dispatch_numbers_paused (\d+)$/m.exec(await readMetrics(sender))?.[1];

  it('a paused number sends nothing, all others do', async () => {
    await proxy.silence('read_changes_since');
    await pause(gateway, tenant);
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    await until('it is known from what was about to leave', async () => {
      assert.equal((await readMessage(gateway, tenant, id)).status, 'queued', 'it has gone in spite of the pause');
      return (await numbersPaused()) === '1' || undefined;
    });
    await untilStatus(gateway, neighbour, await sendTemplate(gateway, neighbour, freshRecipient()), 'read');
    assert.equal((await readMessage(gateway, tenant, id)).status, 'queued');
    await proxy.cut();
    await proxy.mend();
    await resume(gateway, tenant);
    await untilStatus(gateway, tenant, id, 'read');
  });

  it('a disconnected number sends nothing', async () => {
    const slow = '+15550106800';
    await sendTemplate(gateway, tenant, slow);
    await gateway.simulator.world.sends.waitFor(({ to }) => to === slow);
    const id = await sendTemplate(gateway, tenant, slow);
    await proxy.silence('read_changes_since');
    await admin(gateway, 'DELETE', `/wabas/${tenant.wabaId}`);
    const { error_code } = await untilStatus(gateway, tenant, id, 'failed', 'sent', 'delivered', 'read');
    assert.equal(error_code, 'CANCELLED');
  });
});
