import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storeTemplates } from '../../../src/templates/queries.ts';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { untilWaiting } from '../../harness/lock-waits.ts';
import { admin, call } from '../../harness/tenant.ts';
import { freshName, TEMPLATES } from './template-bodies.ts';

describe('a template that exists already', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const create = (body: unknown) => call(gateway, tenant, 'POST', `/v1/${tenant.wabaId}/templates`, { body });
  const read = async (id: string) => (await call(gateway, tenant, 'GET', `/v1/templates/${id}`)).json;
  const plain = (extra: Record<string, unknown> = {}) => ({ ...TEMPLATES.positional, name: freshName(), ...extra });

  it('stores a template after a refusal because it exists already', async () => {
    const { id, name } = gateway.simulator.world.addTemplate(tenant.wabaId, { name: freshName(), language: 'en_US' });
    const answer = await create(plain({ name, language: 'en_US' }));
    assertError(answer, 422, 'PROVIDER_REJECTED', 100);
    assert.deepEqual(
      (await call(gateway, tenant, 'GET', `/v1/templates?name=${name}`)).json.data.map((one: { id: string }) => one.id),
      [id],
    );
  });

  it('syncs an account that lists two names which are stored alike', async () => {
    for (const name of ['odd\0', 'odd\ud800'])
      gateway.simulator.world.addTemplate(tenant.wabaId, { name, language: 'en_US' });
    await admin(gateway, 'POST', `/wabas/${tenant.wabaId}/sync`);
    const list = await call(gateway, tenant, 'GET', `/v1/templates?name=${encodeURIComponent('odd\ufffd')}`);
    assert.equal(list.json.data.length, 1, list.text);
  });

  it('takes the name from a template changed by another node with a clock ahead', async () => {
    const name = `${freshName()}_slow`;
    const { id } = (await create(plain({ name }))).json;
    await gateway.app.db.query({
      text: "UPDATE template SET updated_at = now() + interval '1 second' WHERE id = $1",
      values: [id],
    });
    await fetch(`${gateway.simulator.baseUrl}/${tenant.wabaId}/message_templates?name=${name}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${gateway.simulator.world.accounts.findWaba(tenant.wabaId)?.accessToken}` },
    });
    const second = await create(plain({ name }));
    assert.equal(second.status, 200, second.text);
    assert.deepEqual([(await read(id)).status, (await read(second.json.id)).name], ['DELETED', name]);
  });

  it('takes the name from a template stored at the same moment', async () => {
    const { db } = gateway.app;
    const body = plain();
    const { organizationId, wabaId } = tenant;
    const read = {
      id: `9${tenant.wabaId}`,
      name: body.name,
      language: body.language,
      category: 'UTILITY',
      status: 'APPROVED',
      parameterFormat: null,
      rejectedReason: null,
      qualityScore: null,
      components: '[]',
      otherFields: '{}',
    };
    const { creating } = await db.transaction(async (tx) => {
      await storeTemplates(tx, { organizationId, wabaId }, [read], Date.now());
      const creating = create(body);
      await untilWaiting(db);
      return { creating };
    });
    const answer = await creating;
    assert.equal(answer.status, 200, answer.text);
    const { data } = (await call(gateway, tenant, 'GET', `/v1/templates?name=${body.name}`)).json;
    assert.deepEqual(
      data.map((one: { id: string }) => one.id),
      [answer.json.id],
    );
  });

  it("does not mistake another client's concurrent template for the new one, unless equal", async () => {
    const mine = plain();
    const { id } = (await create(mine)).json;
    // Pretends that it was stored after the others began.
    await gateway.app.db.query({
      text: "UPDATE template SET created_at = now() + interval '1 minute' WHERE id = $1",
      values: [id],
    });
    const createUnanswered = (body: unknown) => {
      gateway.simulator.world.addFault({
        fault: { kind: 'reset_after' },
        scope: { endpoint: 'templates', wabaId: tenant.wabaId },
        times: 1,
      });
      return create(body);
    };
    const theirs = { ...mine, components: [{ type: 'BODY', text: 'Something else' }] };
    assertError(await createUnanswered(theirs), 500, 'INTERNAL_ERROR');
    assert.deepEqual((await read(id)).components, mine.components);
    const again = await createUnanswered(mine);
    assert.deepEqual([again.status, again.json.id], [200, id]);
  });

  it('does not mistake an older template for the new one after a lost refusal', async () => {
    const body = plain();
    assert.equal((await create(body)).status, 200);
    gateway.simulator.world.addFault({
      fault: { kind: 'reset_after' },
      scope: { endpoint: 'templates', wabaId: tenant.wabaId },
      times: 1,
    });
    assertError(await create(body), 500, 'INTERNAL_ERROR');
  });
});
