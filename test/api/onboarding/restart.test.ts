import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useGateway } from '../../harness/fixtures.ts';
import { startFurtherNode } from '../../harness/gateway.ts';
import { sendsTo, until } from '../../harness/tenant.ts';
import { begin, createNewcomer, untilRests } from './onboarding.ts';

describe('an onboarding on two nodes', () => {
  const gateway = useGateway({ isOneOfSeveral: true });

  it('node stopped in the middle of a step → the other one goes on, and sends one message', async () => {
    const newcomer = await createNewcomer(gateway);
    const node = await startFurtherNode(gateway);
    const { world } = gateway.simulator;
    // The first check of the token gets no answer.
    world.addFault({ fault: { kind: 'hang' }, scope: { endpoint: 'accounts' }, times: 1 });
    const body = { access_token: newcomer.accessToken, test_recipient: newcomer.recipient };
    const { id } = await begin({ ...gateway, baseUrl: node.baseUrl }, newcomer, body);
    await until('the token is being checked', () => world.calls.list().find(({ url }) => url.includes('debug_token')));
    await node.stop();
    const view = await untilRests(gateway, newcomer, id);
    assert.equal(view.state, 'done', JSON.stringify(view.steps));
    assert.equal(sendsTo(gateway, newcomer.recipient).length, 1);
  });

  it('both nodes look for work → every step runs once: one registration, one message', async () => {
    const node = await startFurtherNode(gateway);
    const newcomers = await Promise.all(Array.from({ length: 6 }, () => createNewcomer(gateway)));
    const begun = await Promise.all(
      newcomers.map(async (newcomer, index) => {
        const body = { access_token: newcomer.accessToken, test_recipient: newcomer.recipient };
        const served = index % 2 === 0 ? gateway : { ...gateway, baseUrl: node.baseUrl };
        return { newcomer, id: (await begin(served, newcomer, body)).id };
      }),
    );
    for (const { newcomer, id } of begun) {
      assert.equal((await untilRests(gateway, newcomer, id)).state, 'done');
      assert.equal(sendsTo(gateway, newcomer.recipient).length, 1);
      const calls = gateway.simulator.world.calls.list();
      const registrations = calls.filter(({ url }) => url.includes(`/${newcomer.phoneNumberId}/register`));
      assert.equal(registrations.length, 1);
    }
    await node.stop();
  });
});
