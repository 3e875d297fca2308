import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { admin, askAdmin, connectWaba, issueKey } from '../../harness/tenant.ts';

interface Page {
  data: Record<string, unknown>[];
  next: string | null;
}

const WABAS = ['70101', '70102', '70103', '70104'];
const DAYS = ['2026-03-01', '2026-02-01', '2026-01-01'];

describe('lists of an organization in the admin API', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);
  const closed = useTenant(gateway);
  const pathOf = (name: string) => `/organizations/${tenant.organizationId}/${name}`;

  /** Reads a list in pages. */
  async function readPages(path: string, limit: number): Promise<Record<string, unknown>[][]> {
    const pages: Record<string, unknown>[][] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page: Page = await admin(gateway, 'GET', `${path}?limit=${limit}${next && `&after=${next}`}`);
      pages.push(page.data);
      next = page.next;
    }
    return pages;
  }

  /** Asserts that pages of two rows make the list without paging, in its order. */
  async function assertPaged(path: string): Promise<Record<string, unknown>[]> {
    const whole: Page = await admin(gateway, 'GET', path);
    assert.equal(whole.next, null);
    const pages = await readPages(path, 2);
    assert.ok(pages.length > 1 && pages.every(({ length }) => length <= 2));
    assert.deepEqual(pages.flat(), whole.data);
    return whole.data;
  }

  it('business accounts: by id, with their numbers, those of the organization only', async () => {
    for (const id of WABAS) {
      const numbers = [{ id: `8${id}`, displayPhoneNumber: `+1555${id}` }];
      gateway.simulator.world.addWaba({ id, accessToken: `EAA${id}`, numbers, templates: [] });
      await connectWaba(gateway, id === '70103' ? other.organizationId : tenant.organizationId, id);
    }
    const found = (await assertPaged(pathOf('wabas'))).map(({ waba_id }) => waba_id);
    assert.deepEqual(found, [tenant.wabaId, '70101', '70102', '70104'].sort());
    const foreign: Page = await admin(gateway, 'GET', `${pathOf('wabas')}?after=70102`);
    assert.ok(foreign.data.every(({ waba_id }) => waba_id !== '70103'));
  });

  it('API keys: newest first, disabled ones included', async () => {
    for (const name of ['one', 'two', 'three']) {
      const key = await issueKey(gateway, tenant);
      if (name === 'two') await admin(gateway, 'DELETE', `/api-keys/${key.id}`);
    }
    const keys = await assertPaged(pathOf('api-keys'));
    assert.ok(keys.length >= 4 && keys.some(({ disabled_at }) => disabled_at !== null));
    const times = keys.map(({ created_at }) => String(created_at));
    assert.deepEqual(times, [...times].sort().reverse());
  });

  it('set-up links: newest first', async () => {
    for (let count = 0; count < 3; count += 1) await admin(gateway, 'POST', pathOf('setup-links'), {});
    assert.equal((await assertPaged(pathOf('setup-links'))).length, 3);
  });

  it('rates: whole cards, newest first', async () => {
    const rates = ['marketing', 'utility', 'authentication'].map((category) => ({ category, price: 0.01 }));
    for (const day of DAYS) await admin(gateway, 'PUT', pathOf('rates'), { valid_from: day, rates });
    const whole: Page = await admin(gateway, 'GET', pathOf('rates'));
    assert.deepEqual([whole.data.length, whole.next], [9, null]);
    for (const cards of [1, 2, 3]) {
      const pages = await readPages(pathOf('rates'), cards);
      assert.equal(pages.length, Math.ceil(3 / cards));
      assert.ok(pages.every((page) => page.length % 3 === 0));
      assert.deepEqual(pages.flat(), whole.data);
    }
    const empty: Page = await admin(gateway, 'GET', `${pathOf('rates')}?after=2020-01-01`);
    assert.deepEqual(empty, { data: [], next: null });
  });

  it('closing an organization of nine accounts: disconnects all, and none of another', async () => {
    for (let index = 0; index < 8; index += 1) {
      const id = `7020${index}`;
      gateway.simulator.world.addWaba({ id, accessToken: `EAA${id}`, numbers: [], templates: [] });
      await connectWaba(gateway, closed.organizationId, id);
    }
    const path = `/organizations/${closed.organizationId}/wabas`;
    assert.equal((await admin<Page>(gateway, 'GET', path)).data.length, 9);
    await admin(gateway, 'DELETE', `/organizations/${closed.organizationId}`);
    assert.deepEqual(await admin<Page>(gateway, 'GET', path), { data: [], next: null });
    assert.ok((await admin<Page>(gateway, 'GET', pathOf('wabas'))).data.length > 0);
  });

  for (const [name, wrong] of [
    ['wabas', ['limit=0', 'limit=1001', 'after=a%00b', `after=${'1'.repeat(65)}`]],
    ['api-keys', ['limit=0', 'limit=1001', 'after=x', 'after=%00']],
    ['setup-links', ['limit=0', 'limit=101', 'after=x', 'after=%00']],
    ['rates', ['limit=0', 'limit=101', 'after=x', 'after=2026-02-30', 'after=%00']],
  ] as const) {
    it(`${name}: a wrong limit or cursor → 400`, async () => {
      for (const query of wrong) {
        assertError(await askAdmin(gateway, 'GET', `${pathOf(name)}?${query}`), 400, 'VALIDATION_ERROR');
      }
    });
  }
});
