import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { call, createTenant, type Tenant } from '../../harness/tenant.ts';

describe('pages of templates', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const get = (path: string, caller: Tenant | undefined = tenant) =>
    call(gateway, caller, 'GET', path.replace(gateway.baseUrl, ''));

  describe('an account with hundreds of templates', () => {
    const names = Array.from({ length: 1_010 }, (_, index) => `name_${index}`);
    const listing = async (caller: Tenant, query: string) => {
      const { json } = await get(`/v24.0/${caller.wabaId}/message_templates${query}`, caller);
      return json as { data: { name: string }[]; paging: { next?: string; previous?: string } };
    };

    it('lists up to a thousand on one page, as many clients read no other page', async () => {
      const caller = await createTenant(gateway, { templates: names.map((name) => ({ name, language: 'en_US' })) });
      for (const [limit, shown] of [
        [250, 250],
        [1_000, 1_000],
        [5_000, 1_000],
      ]) {
        const first = await listing(caller, `?limit=${limit}&fields=name`);
        assert.equal(first.data.length, shown);
        assert.ok(first.paging.next, 'there are more');
      }
      assert.equal((await listing(caller, '')).data.length, 25);
    });

    it('ends a page of large templates early and links on, forward and back', async () => {
      const large = names.slice(0, 20);
      const caller = await createTenant(gateway, { templates: large.map((name) => ({ name, language: 'en_US' })) });
      await gateway.app.db.query({
        text: `UPDATE template SET components = '["' || repeat('x', 900000) || '"]' WHERE organization_id = $1`,
        values: [caller.organizationId],
      });
      const namesIn = ({ data }: Awaited<ReturnType<typeof listing>>) => data.map(({ name }) => name);
      let page = await listing(caller, '?limit=1000&fields=name');
      const pages = [namesIn(page)];
      while (page.paging.next !== undefined) {
        page = await listing(caller, new URL(page.paging.next).search);
        pages.push(namesIn(page));
      }
      assert.deepEqual(pages.flat().sort(), large.toSorted());
      assert.equal(pages.length, 5);
      for (const before of pages.slice(0, -1).toReversed()) {
        assert.ok(page.paging.previous);
        page = await listing(caller, new URL(page.paging.previous).search);
        assert.deepEqual(namesIn(page), before);
      }
    });
  });

  it('links to pages with URLs that can be fetched unchanged', async () => {
    const path = `/v24.0/${tenant.wabaId}/message_templates?limit=2`;
    const { json } = await get(path);
    assert.ok(json.paging.next.startsWith(`${gateway.baseUrl}${path}`), json.paging.next);
    const next = await fetch(json.paging.next, { headers: { authorization: `Bearer ${tenant.apiKey}` } });
    assert.equal(next.status, 200);
  });

  describe('with a summary', () => {
    const ALL = 'total_count,message_template_count,message_template_limit,are_translations_complete';
    const counts = {
      total_count: 3,
      message_template_count: 3,
      message_template_limit: 6_000,
      are_translations_complete: true,
    };
    const rich = () =>
      createTenant(gateway, { templates: ['a', 'b', 'c'].map((name) => ({ name, language: 'en_US' })) });
    const list = (caller: Tenant, summary: string) =>
      get(`/v24.0/${caller.wabaId}/message_templates?limit=2&summary=${summary}`, caller);
    const spoil = (caller: Tenant, code: number) =>
      gateway.simulator.world.addFault({
        fault: { kind: 'error', code },
        scope: { endpoint: 'templates', wabaId: caller.wabaId },
      });

    it("shows the upstream's counts on every page", async () => {
      const caller = await rich();
      const { json } = await list(caller, ALL);
      assert.deepEqual(json.summary, counts);
      assert.deepEqual((await get(json.paging.next, caller)).json.summary, counts);
      const { json: one } = await list(caller, 'message_template_limit,%20x');
      assert.deepEqual(one.summary, { message_template_limit: 6_000 });
      for (const word of ['true', '1'])
        assert.deepEqual((await list(caller, word)).json.summary, { total_count: 3 }, word);
    });

    it('asks the upstream once a minute', async () => {
      const caller = await rich();
      await list(caller, ALL);
      spoil(caller, 2);
      assert.deepEqual((await list(caller, ALL)).json.summary, counts);
    });

    it('refused upstream: 422 in its words; without a summary, the list still works', async () => {
      const caller = await rich();
      spoil(caller, 200);
      assertError(await list(caller, ALL), 422, 'PROVIDER_REJECTED');
      const plain = await get(`/v24.0/${caller.wabaId}/message_templates?summary=`, caller);
      assert.deepEqual([plain.status, Object.keys(plain.json)], [200, ['data', 'paging']]);
    });
  });
});
