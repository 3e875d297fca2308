import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { askAs, createOperator } from '../../harness/operator.ts';
import { admin, askAdmin, call, freshRecipient, issueKey, sendNow, type Tenant } from '../../harness/tenant.ts';

interface Change {
  id: string;
  organization_id: string | null;
  sequence: number;
  actor: { type: string; id: string | null; name: string | null; identity: object | null };
  address: string | null;
  request_id: string;
  operation: string;
  object: { type: string; id: string } | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  parameters: Record<string, unknown> | null;
  answer: Record<string, unknown> | null;
  http_status: number | null;
  digest: string;
}

interface Page {
  data: Change[];
  next: string | null;
}

interface Verdict {
  intact: boolean;
  rows: number;
  head: { sequence: number; digest: string } | null;
  problem: { sequence: number; reason: string } | null;
}

describe('the audit log', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const stranger = useTenant(gateway);
  const list = (query: string) => admin<Page>(gateway, 'GET', `/audit?${query}`);
  const verify = (query: string) => admin<Verdict>(gateway, 'GET', `/audit/verification?${query}`);
  const newest = async (query: string): Promise<Change> => {
    const { data } = await list(query);
    assert.ok(data[0], `no change for ${query}`);
    return data[0];
  };

  it("an operator's change: person, address, request, operation, object, before and after", async () => {
    const operator = await createOperator(gateway, 'operator');
    const path = `/organizations/${tenant.organizationId}`;
    const answer = await askAs(gateway, operator, 'PATCH', path, { weight: 3, direct_send: true });
    assert.equal(answer.status, 200, answer.text);
    const change = await newest(`organization_id=${tenant.organizationId}&operation=updateOrganization`);
    assert.deepEqual(change.actor, { type: 'operator', id: operator.id, name: 'test operator', identity: null });
    assert.equal(change.address, '127.0.0.1');
    assert.equal(change.request_id, answer.headers.get('x-request-id'));
    assert.deepEqual(change.object, { type: 'organization', id: tenant.organizationId });
    assert.equal(change.before?.weight, 1);
    assert.equal(change.before?.direct_send, false);
    assert.equal(change.after?.weight, 3);
    assert.equal(change.after?.direct_send, true);
    assert.equal(change.http_status, 200);
    assert.equal(change.organization_id, tenant.organizationId);
  });

  it("a key's change: name and id of the key, in the organization's chain", async () => {
    const key = await issueKey(gateway, tenant);
    const created = await call(gateway, { apiKey: key.key }, 'POST', '/v1/webhooks', {
      body: { url: 'https://ada:word-1@hooks.example.com/path-1?token=word-2' },
    });
    assert.ok([201, 400].includes(created.status), created.text);
    const plain = await call(gateway, { apiKey: key.key }, 'POST', '/v1/webhooks', {
      body: { url: 'https://hooks.example.com/path-1' },
    });
    assert.equal(plain.status, 201, plain.text);
    const change = await newest(`object=${plain.json.id}`);
    assert.deepEqual(change.actor, { type: 'api_key', id: key.id, name: 'test', identity: null });
    assert.equal(change.before, null);
    assert.equal(change.after?.host, 'hooks.example.com');
    assert.equal(change.operation, 'createWebhook');
  });

  it('a refused change: its status and no state after it', async () => {
    const path = `/organizations/${tenant.organizationId}`;
    assert.equal((await askAdmin(gateway, 'PATCH', path, { weight: -1 })).status, 400);
    const change = await newest(`organization_id=${tenant.organizationId}&operation=updateOrganization`);
    assert.deepEqual(change.actor, { type: 'admin_token', id: null, name: 'ADMIN_TOKEN', identity: null });
    assert.equal(change.http_status, 400);
    assert.equal(change.after, null);
  });

  it('keys, accounts and numbers of an organization → its chain; operators → the chain of none', async () => {
    const key = await issueKey(gateway, tenant);
    await admin(gateway, 'DELETE', `/api-keys/${key.id}`);
    const disabled = await newest(`object=${key.id}&operation=disableApiKey`);
    assert.equal(disabled.organization_id, tenant.organizationId);
    assert.equal(disabled.before?.disabled_at, null);
    assert.equal(typeof disabled.after?.disabled_at, 'string');
    await admin(gateway, 'PATCH', `/numbers/${tenant.phoneNumberId}`, { paused: true });
    await admin(gateway, 'PATCH', `/numbers/${tenant.phoneNumberId}`, { paused: false });
    const resumed = await newest(`object=${tenant.phoneNumberId}&operation=updateNumber`);
    assert.equal(resumed.organization_id, tenant.organizationId);
    assert.deepEqual([resumed.before?.paused, resumed.after?.paused], [true, false]);
    const operator = await createOperator(gateway, 'support');
    assert.equal((await newest(`object=${operator.id}&organization_id=none`)).after?.role, 'support');
  });

  it('the end of an object: its last state stays', async () => {
    const created = await call(gateway, tenant, 'POST', '/v1/webhooks', { body: { url: 'https://a.example.com/' } });
    await call(gateway, tenant, 'DELETE', `/v1/webhooks/${created.json.id}`);
    const change = await newest(`object=${created.json.id}&operation=deleteWebhook`);
    assert.equal(change.before?.host, 'a.example.com');
  });

  it('sends and reads: leave no row', async () => {
    const head = async () => (await verify(`organization_id=${stranger.organizationId}`)).head;
    const before = await head();
    await sendNow(gateway, stranger);
    await call(gateway, stranger, 'GET', '/v1/messages');
    assert.deepEqual(await head(), before);
  });

  it('a key: sees the changes of its organization only, and no operator by name', async () => {
    const own = await call(gateway, tenant, 'GET', '/v1/audit?limit=200');
    assert.equal(own.status, 200, own.text);
    const { data } = own.json as Page;
    assert.ok(data.length > 3);
    for (const change of data) {
      assert.equal(change.organization_id, tenant.organizationId);
      if (change.actor.type === 'api_key') continue;
      assert.deepEqual(
        [change.actor, change.address],
        [{ type: 'operator', id: null, name: null, identity: null }, null],
      );
    }
    assert.equal((await call(gateway, tenant, 'GET', '/v1/audit/verification')).json.intact, true);
  });

  it('pages: continue where the one before ended; filters narrow', async () => {
    const all = await list(`organization_id=${tenant.organizationId}&limit=200`);
    const paged: Change[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page: Page = await list(`organization_id=${tenant.organizationId}&limit=3${next && `&after=${next}`}`);
      paged.push(...page.data);
      next = page.next;
    }
    assert.deepEqual(paged, all.data);
    assert.deepEqual((await list('to=2020-01-01T00:00:00Z')).data, []);
    for (const query of ['after=x', 'from=yesterday', 'organization_id=x', 'limit=0', 'operation=a%20b']) {
      assertError(await askAdmin(gateway, 'GET', `/audit?${query}`), 400, 'VALIDATION_ERROR');
    }
    assertError(await askAdmin(gateway, 'GET', '/audit/verification?sequence=3'), 400, 'VALIDATION_ERROR');
  });

  it('ids that name nothing of the caller: not stored, as they may be a number of a person', async () => {
    const person = freshRecipient().slice(1);
    for (const path of [
      `/v1/webhooks/${person}`,
      `/v1/${person}`,
      `/v1/${stranger.wabaId}/message_templates?name=${'x'}`,
    ]) {
      assert.notEqual((await call(gateway, tenant, 'DELETE', path)).status, 200, path);
    }
    const { rows } = await readStored(gateway);
    assert.ok(!rows.includes(person));
    const [change] = (await list(`organization_id=${tenant.organizationId}&operation=deleteMessageTemplates`)).data;
    assert.equal(change?.object, null);
    assert.deepEqual(change?.parameters, { name: 'x' });
  });

  it('secrets in requests and answers: none in the log', async () => {
    const token = `EAAplanted${'x'.repeat(20)}`;
    gateway.simulator.world.addWaba({
      id: '70099',
      accessToken: token,
      numbers: [{ id: '80099', displayPhoneNumber: '+15550080099' }],
      templates: [],
    });
    const waba = { waba_id: '70099', access_token: token };
    await admin(gateway, 'POST', `/organizations/${tenant.organizationId}/wabas`, waba);
    const operator = await admin<{ id: string; token: string }>(gateway, 'POST', '/operators', {
      name: 'Ada',
      role: 'admin',
    });
    const rotated = await admin<{ token: string }>(gateway, 'POST', `/operators/${operator.id}/rotate`);
    const key = await issueKey(gateway, tenant);
    const rotatedKey = await admin<{ key: string }>(gateway, 'POST', `/api-keys/${key.id}/rotate`);
    const body = { url: 'https://hooks.example.com/services/planted-path' };
    const webhook = await call(gateway, tenant, 'POST', '/v1/webhooks', { body });
    const other = await call(gateway, tenant, 'POST', `/v1/webhooks/${webhook.json.id}/rotate-secret`);
    const secrets = [
      token,
      operator.token,
      rotated.token,
      key.key,
      rotatedKey.key,
      webhook.json.secret,
      other.json.secret,
      'planted-path',
      gateway.adminToken,
      tenant.apiKey,
    ];
    const { rows } = await readStored(gateway);
    for (const secret of secrets) {
      assert.equal(typeof secret, 'string');
      assert.ok(!rows.includes(secret), secret);
    }
    assert.ok(rows.includes('connectWaba'));
  });

  it('changes at the same moment: one chain without a gap', async () => {
    const path = `/numbers/${tenant.phoneNumberId}`;
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => admin(gateway, 'PATCH', path, { messages_per_second: index + 1 })),
    );
    assert.equal((await verify(`organization_id=${tenant.organizationId}`)).problem, null);
  });

  it('a row changed or removed in the database → found by the check, in its chain alone', async () => {
    const intact = await verify(`organization_id=${stranger.organizationId}`);
    assert.equal(intact.intact, true, JSON.stringify(intact));
    assert.ok(intact.head !== null && intact.head.sequence > 3);
    const noted = `sequence=${intact.head.sequence}&digest=${intact.head.digest}`;
    await change(stranger, 1, `facts = replace(facts, '127.0.0.1', '192.0.2.1')`);
    const found = await verify(`organization_id=${stranger.organizationId}`);
    assert.equal(found.intact, false);
    assert.equal(found.problem?.sequence, 1);
    assert.equal((await verify(`organization_id=${tenant.organizationId}`)).intact, true);
    await change(stranger, 1, `facts = replace(facts, '192.0.2.1', '127.0.0.1')`);
    assert.equal((await verify(`organization_id=${stranger.organizationId}&${noted}`)).intact, true);
    await gateway.app.db.query({
      text: `WITH deleted AS (DELETE FROM audit_entry WHERE chain = $1)
             DELETE FROM audit_chain WHERE chain = $1`,
      values: [stranger.organizationId],
    });
    assert.equal((await verify(`organization_id=${stranger.organizationId}`)).intact, true);
    const lost = await verify(`organization_id=${stranger.organizationId}&${noted}`);
    assert.equal(lost.problem?.sequence, intact.head.sequence);
  });

  async function change({ organizationId }: Tenant, sequence: number, set: string): Promise<void> {
    const text = `UPDATE audit_entry SET ${set} WHERE chain = $1 AND sequence = $2`;
    await gateway.app.db.query({ text, values: [organizationId, sequence] });
  }
});

/** Returns all stored rows of the log as text. */
async function readStored(gateway: { app: ReturnType<typeof useGateway>['app'] }): Promise<{ rows: string }> {
  const rows = await gateway.app.db.query<{ row: string }>({ text: 'SELECT e::text AS row FROM audit_entry e' });
  return { rows: rows.map(({ row }) => row).join('\n') };
}
