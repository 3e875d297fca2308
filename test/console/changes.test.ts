import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createOperator } from '../harness/operator.ts';
import {
  admin,
  call,
  createTenant,
  freshRecipient,
  issueKey,
  pause,
  queueOf,
  resume,
  sendTemplate,
  type Tenant,
  until,
} from '../harness/tenant.ts';
import { skipWithoutBrowser } from './open-console.ts';
import { useConsole } from './use-console.ts';

describe('changes made in the console', { skip: skipWithoutBrowser }, () => {
  const { gateway, world, visit } = useConsole();

  /** Presses the button in `within`, and the one of the same name in the dialog that it opens. */
  async function pressAndConfirm(page: Page, name: string, within = page.locator('main')) {
    await within.getByRole('button', { name, exact: true }).first().click();
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  }

  const organizationPage = ({ organizationId }: Tenant, tab: string) => `/organizations/${organizationId}?tab=${tab}`;

  it('now: the button beside a paused number resumes it', async () => {
    const { other } = world;
    await visit(gateway.adminToken, '/now', async (page) => {
      const entry = page.getByRole('listitem').filter({ hasText: other.phoneNumberId });
      await pressAndConfirm(page, 'Repair', entry);
      await page.getByText('Nothing needs attention.').waitFor();
    });
    await until('its queue is empty', async () => (await queueOf(gateway, other)).queued === 0 || undefined);
  });

  it('queue: 40 and 3 wait → lanes and list show that they take turns; paused ones are kept back', async () => {
    const [large, small, halted] = await Promise.all([1, 2, 3].map(() => createTenant(gateway)));
    assert.ok(large !== undefined && small !== undefined && halted !== undefined);
    const names = new Map([
      [large, 'Long Queue'],
      [small, 'Short Queue'],
      [halted, 'Halted Queue'],
    ]);
    for (const [tenant, name] of names) {
      await admin(gateway, 'PATCH', `/organizations/${tenant.organizationId}`, { name });
      await pause(gateway, tenant);
      await admin(gateway, 'PATCH', `/numbers/${tenant.phoneNumberId}`, { messages_per_second: 0.1 });
      const count = tenant === large ? 40 : 3;
      await Promise.all(Array.from({ length: count }, () => sendTemplate(gateway, tenant, freshRecipient())));
    }
    await visit(gateway.adminToken, '/queue', async (page) => {
      const region = page.getByRole('region', { name: 'Whose message goes next' });
      const kept = region
        .getByRole('table', { name: 'Kept back' })
        .getByRole('row')
        .filter({ hasText: 'Halted Queue' });
      await kept.getByText('paused').first().waitFor();
      // Only now, because the few messages that go while the page opens would end the small queue.
      await Promise.all([large, small].map((tenant) => resume(gateway, tenant)));
      await region.getByRole('img', { name: /Long Queue: \d+/ }).waitFor();
      await region.getByText('As a list').click();
      const list = region.getByRole('table', { name: 'Whose message goes next' });
      await list.getByRole('row').filter({ hasText: 'Short Queue' }).first().waitFor();
      const turns = await list
        .getByRole('row')
        .filter({ hasText: / Queue/ })
        .allTextContents();
      const places = turns.flatMap((row, place) => (row.includes('Short Queue') ? [place] : []));
      for (const [turn, place] of places.entries()) assert.ok(place <= 2 * turn + 1, `turns ${places}`);
    });
    await Promise.all([large, small].map((tenant) => pause(gateway, tenant)));
  });

  it('templates: edited and sent to review, deleted', async () => {
    const { tenant } = world;
    const { data } = (await call(gateway, tenant, 'GET', '/v1/templates?name=spring_offer')).json;
    await visit(tenant.apiKey, `/templates/${data[0].id}`, async (page) => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Footer').fill('Reply STOP to hear no more');
      await page.getByRole('button', { name: 'Send to review' }).click();
      await page.getByRole('region', { name: 'As on the phone' }).getByText('Reply STOP to hear no more').waitFor();
      await pressAndConfirm(page, 'Delete');
      await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
      await page.getByRole('link', { name: 'spring_offer' }).waitFor({ state: 'detached' });
    });
    const left = (await call(gateway, tenant, 'GET', '/v1/templates?name=spring_offer')).json.data;
    assert.deepEqual(left, []);
  });

  it('accounts: connected by id and token, disconnected', async () => {
    const { tenant } = world;
    const wabaId = '7000000000042';
    gateway.simulator.world.addWaba({
      id: wabaId,
      accessToken: 'EAAconsole',
      numbers: [{ id: '8000000000042', displayPhoneNumber: '+15550000042' }],
      templates: [],
    });
    await visit(gateway.adminToken, `/numbers?org=${tenant.organizationId}`, async (page) => {
      await page.getByRole('button', { name: 'Connect an account' }).click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Id of the business account (WABA)').fill(wabaId);
      await form.getByLabel('Access token of the platform').fill('EAAwrong');
      await form.getByRole('button', { name: 'Connect an account' }).click();
      await form.getByRole('alert').waitFor();
      await form.getByLabel('Access token of the platform').fill('EAAconsole');
      await form.getByRole('button', { name: 'Connect an account' }).click();
      const account = page.getByRole('region', { name: `Account ${wabaId}` });
      await account.getByRole('row').filter({ hasText: '8000000000042' }).waitFor();
      await pressAndConfirm(page, 'Disconnect', account);
      await account.waitFor({ state: 'detached' });
      await page.getByRole('region', { name: `Account ${tenant.wabaId}` }).waitFor();
    });
  });

  it('keys: rotated, the new one works, disabled', async () => {
    const { other } = world;
    const { key: old, id } = await issueKey(gateway, other);
    await admin(gateway, 'PATCH', `/api-keys/${id}`, { name: 'The till' });
    let key = '';
    await visit(gateway.adminToken, organizationPage(other, 'keys'), async (page) => {
      const row = page.getByRole('row').filter({ hasText: 'The till' });
      await pressAndConfirm(page, 'Rotate', row.first());
      key = (await page.getByRole('dialog').getByText(/^fw_/).textContent()) ?? '';
      assert.notEqual(key, old);
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.equal((await call(gateway, { apiKey: key }, 'GET', '/v1/messages')).status, 200);
      await pressAndConfirm(
        page,
        'Disable',
        row
          .filter({ hasText: key.slice(0, 8) })
          .filter({ hasText: 'works' })
          .first(),
      );
      await row.getByText('disabled').first().waitFor();
    });
    await until('one of both keys is refused', async () => {
      const answers = await Promise.all([old, key].map((apiKey) => call(gateway, { apiKey }, 'GET', '/v1/messages')));
      return answers.some(({ status }) => status === 401) || undefined;
    });
  });

  it('journal: the payloads of a time are applied once more', async () => {
    const from = encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString());
    const to = encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
    await visit(gateway.adminToken, `/journal?from=${from}&to=${to}`, async (page) => {
      await page.getByRole('row').filter({ hasText: 'messages: statuses' }).first().waitFor();
      await pressAndConfirm(page, 'Apply again…');
      await page
        .getByRole('dialog')
        .getByText(/^[1-9]\d* payloads are applied again/)
        .waitFor();
    });
  });

  it('rates: a card is stored, its mistake shown, changed, deleted; support only reads', async () => {
    const { other: tenant } = world;
    const ratesOf = async () =>
      (await admin<{ data: object[] }>(gateway, 'GET', `/organizations/${tenant.organizationId}/rates`)).data;
    await visit(gateway.adminToken, organizationPage(tenant, 'rates'), async (page) => {
      await page.getByRole('button', { name: 'New rate card' }).click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Valid from (day in UTC)').fill('2026-10-01');
      await form.getByLabel('Prices').fill('marketing, us, 0.025\nmarketing, *, a lot');
      await form.getByRole('button', { name: 'Save' }).click();
      await form.getByText(/Rate 2: "price"/).waitFor();
      await form.getByLabel('Prices').fill('marketing, us, 0.025\nutility;;0.004');
      await form.getByRole('button', { name: 'Save' }).click();
      const card = page.getByRole('region', { name: 'Valid from 2026-10-01' });
      await card.getByRole('row').filter({ hasText: '0.004' }).getByText('any').waitFor();
      await card.getByRole('button', { name: 'Change' }).click();
      await form.getByLabel('Prices').fill('marketing, US, 0.03');
      await form.getByRole('button', { name: 'Save' }).click();
      await card.getByRole('row').filter({ hasText: '0.03' }).waitFor();
    });
    assert.deepEqual(await ratesOf(), [
      { valid_from: '2026-10-01', category: 'marketing', country: 'US', price: 0.03 },
    ]);
    await visit((await createOperator(gateway, 'support')).token, organizationPage(tenant, 'rates'), async (page) => {
      await page.getByRole('region', { name: 'Valid from 2026-10-01' }).getByText('0.03').waitFor();
      for (const name of ['New rate card', 'Change', 'Delete'])
        assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
    });
    await visit(gateway.adminToken, organizationPage(tenant, 'rates'), async (page) => {
      await pressAndConfirm(page, 'Delete');
      await page.getByRole('heading', { name: 'No rate card' }).waitFor();
    });
    assert.deepEqual(await ratesOf(), []);
  });

  it('organizations: closed by an admin, with its key; an operator sees no such button', async () => {
    const closed = await createTenant(gateway);
    await visit(
      (await createOperator(gateway, 'operator')).token,
      organizationPage(closed, 'settings'),
      async (page) => {
        await page.getByRole('button', { name: 'Save' }).waitFor();
        assert.equal(await page.getByRole('button', { name: 'Close the organization' }).count(), 0);
      },
    );
    await visit(gateway.adminToken, organizationPage(closed, 'settings'), async (page) => {
      await pressAndConfirm(page, 'Close the organization');
      await page.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor();
    });
    assert.equal((await call(gateway, closed, 'GET', '/v1/messages')).status, 401);
  });
});
