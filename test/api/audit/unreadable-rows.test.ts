import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { admin, askAdmin, call, type Tenant } from '../../harness/tenant.ts';

interface Change {
  id: string;
  sequence: number;
  operation: string;
  actor: { type: string; id: string | null };
  object: { id: string } | null;
  parameters: Record<string, unknown> | null;
  http_status: number | null;
}

interface Page {
  data: Change[];
  next: string | null;
}

const UNREADABLE = ['', 'none', 'null', '[]', '{}', '{"operation":"updateNumber"', '{"operation":7,"actor":null}'];

describe('the audit log: rows that cannot be read', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const damaged = useTenant(gateway);
  const list = (query: string) => admin<Page>(gateway, 'GET', `/audit?${query}`);

  it('NUL in a recorded parameter → listed as sent, and every filter answers', async () => {
    const path = `/v1/${tenant.wabaId}/message_templates?name=a%00b`;
    await call(gateway, tenant, 'DELETE', path);
    const own = await call(gateway, tenant, 'GET', `/v1/audit?operation=deleteMessageTemplates`);
    assert.equal(own.status, 200, own.text);
    assert.deepEqual((own.json as Page).data[0]?.parameters, { name: 'a\u0000b' });
    for (const filter of [`object=${tenant.wabaId}`, 'actor=none-such', 'operation=updateNumber']) {
      const answer = await askAdmin(gateway, 'GET', `/audit?${filter}`);
      assert.equal(answer.status, 200, `${filter}: ${answer.text}`);
    }
  });

  it('facts that are no change → listed as unreadable, with their neighbours, for both readers', async () => {
    for (const facts of UNREADABLE) {
      await rename(damaged, 'before');
      await damage(damaged, 'change', facts);
      await rename(damaged, 'after');
      const [after, before] = (await list(`organization_id=${damaged.organizationId}`)).data;
      assert.equal(after?.operation, 'updateOrganization');
      assert.deepEqual([before?.operation, before?.actor.type], ['unreadable', 'unknown'], facts);
      const own = await call(gateway, damaged, 'GET', '/v1/audit?limit=200');
      assert.equal(own.status, 200, own.text);
      assert.ok((own.json as Page).data.some(({ id }) => id === before?.id));
    }
  });

  it('a result that cannot be read → the change has none', async () => {
    for (const facts of UNREADABLE) {
      await rename(damaged, 'with a result');
      await damage(damaged, 'result', facts);
      const [change] = (await list(`organization_id=${damaged.organizationId}`)).data;
      assert.deepEqual([change?.operation, change?.http_status], ['updateOrganization', null], facts);
    }
  });

  it('filters → match no unreadable row, and their pages still fill', async () => {
    const query = `organization_id=${damaged.organizationId}&operation=updateOrganization`;
    const all = (await list(`${query}&limit=200`)).data;
    assert.ok(all.length > UNREADABLE.length && all.every(({ operation }) => operation === 'updateOrganization'));
    const paged: Change[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page: Page = await list(`${query}&limit=2${next && `&after=${next}`}`);
      assert.ok(page.data.length === 2 || page.next === null);
      paged.push(...page.data);
      next = page.next;
    }
    assert.deepEqual(paged, all);
  });

  it('a checkpoint that cannot be read → the check names a problem', async () => {
    for (const facts of [...UNREADABLE, '{"deleted_up_to":1,"digest":7}']) {
      await gateway.app.db.query({
        text: `UPDATE audit_entry SET kind = 'checkpoint', facts = $2
               WHERE chain = $1 AND sequence = (SELECT max(sequence) FROM audit_entry WHERE chain = $1)`,
        values: [damaged.organizationId, facts],
      });
      const answer = await askAdmin(gateway, 'GET', `/audit/verification?organization_id=${damaged.organizationId}`);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.intact, false);
    }
  });

  async function rename({ organizationId }: Tenant, name: string): Promise<void> {
    await admin(gateway, 'PATCH', `/organizations/${organizationId}`, { name });
  }

  /** Replaces the facts of the newest row of a kind. */
  async function damage({ organizationId }: Tenant, kind: string, facts: string): Promise<void> {
    const text = `
      UPDATE audit_entry SET facts = $3 WHERE chain = $1 AND sequence =
        (SELECT max(sequence) FROM audit_entry WHERE chain = $1 AND kind = $2)`;
    await gateway.app.db.query({ text, values: [organizationId, kind, facts] });
  }
});
