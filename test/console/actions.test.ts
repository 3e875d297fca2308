import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { deliveriesOf } from '../api/webhooks/webhook-endpoint.ts';
import { admin, call, queueOf, until } from '../harness/tenant.ts';
import { skipWithoutBrowser, textOf } from './open-console.ts';
import { useConsole } from './use-console.ts';

describe('actions of the console', { skip: skipWithoutBrowser }, () => {
  const { gateway, world, visit } = useConsole();

  /** Presses a button of the page, and the one of the same name in the dialog that it opens. */
  async function pressAndConfirm(page: Page, name: string) {
    await page.locator('main').getByRole('button', { name, exact: true }).first().click();
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  }

  it('queue: the pace is changed, messages are cancelled by filter, the number is resumed', async () => {
    const { other } = world;
    await visit(gateway.adminToken, '/queue', async (page) => {
      await page.getByRole('table', { name: 'Queue', exact: true }).getByText('paused').waitFor();
      await page.getByRole('button', { name: 'Change the pace' }).click();
      await page.getByLabel('Messages per second').fill('33');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Cancel messages…' }).click();
      await page.getByRole('dialog').getByLabel('Template').fill('spring_sale');
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the messages' }).click();
      await page.getByText('20 cancelled.').waitFor();
      await page.keyboard.press('Escape');
      await pressAndConfirm(page, 'Resume');
      await page.getByRole('heading', { name: 'Nothing waits' }).waitFor();
    });
    assert.equal((await queueOf(gateway, other)).queued, 0);
  });

  it('queue: 60 waiting numbers → 25 rows, and as many more with each press of the button', async () => {
    const row = (index: number) => ({
      organization_id: world.other.organizationId,
      phone_number_id: String(900_000 + index),
      queued: index,
      oldest_wait_seconds: 1,
      messages_per_second: 80,
      used_per_second: 0,
      waits_for: ['pacing'],
      parked_until: null,
      flows: [],
    });
    await visit(gateway.adminToken, '/organizations', async (page) => {
      const numbers = Array.from({ length: 60 }, (_, index) => row(index + 1));
      await page.route('**/admin/v1/queue', (route) => route.fulfill({ json: { counted_at: '', numbers } }));
      await page.getByRole('link', { name: 'Queue', exact: true }).click();
      const links = page.getByRole('table', { name: 'Queue', exact: true }).getByRole('link');
      await page.getByRole('button', { name: '25 of 60 shown: show more' }).click();
      await page.getByRole('button', { name: '50 of 60 shown: show more' }).waitFor();
      assert.equal(await links.count(), 50);
      assert.equal(await links.first().textContent(), '900060');
      await page.getByRole('button', { name: '50 of 60 shown: show more' }).click();
      await links.filter({ hasText: '900001' }).waitFor();
      assert.equal(await page.getByRole('button', { name: /shown: show more/ }).count(), 0);
    });
  });

  it('numbers: paused and resumed, the account read again, the doctor asked', async () => {
    const { tenant } = world;
    await visit(gateway.adminToken, `/numbers?org=${tenant.organizationId}`, async (page) => {
      const row = page.getByRole('row').filter({ hasText: tenant.phoneNumberId });
      await pressAndConfirm(page, 'Pause');
      await row.getByText('paused').waitFor();
      await pressAndConfirm(page, 'Resume');
      await row.getByText('sends').waitFor();
      await page.getByRole('button', { name: 'Read again' }).click();
      await page.getByRole('region', { name: "The doctor's checks" }).getByText('PUBLIC_URL is not set').waitFor();
    });
  });

  it('webhooks: created, tested, its delivery looked at and replayed, rotated, disabled, deleted', async () => {
    const { tenant } = world;
    await visit(tenant.apiKey, '/webhooks', async (page) => {
      const url = await page.getByRole('link', { name: /\/hook$/ }).textContent();
      await page.getByRole('button', { name: 'New endpoint' }).click();
      await page.getByLabel('Address (https)').fill(`${url}/second`);
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await page
        .getByRole('dialog')
        .getByText(/^whsec_/)
        .waitFor();
      await page.getByRole('dialog').locator('footer, div').getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('link', { name: `${url}/second` }).click();
      await page.getByRole('button', { name: 'Send a test' }).click();
      const delivery = page.getByRole('row').filter({ hasText: 'webhook.test' });
      await delivery.getByText('delivered').waitFor();
      await delivery.getByRole('button', { name: 'Attempts: 1' }).click();
      await page.getByRole('dialog').getByText('Attempt 1: 204').waitFor();
      await page.keyboard.press('Escape');
      await delivery.getByRole('button', { name: 'Replay' }).click();
      await delivery.getByRole('button', { name: 'Attempts: 2' }).waitFor();
      await pressAndConfirm(page, 'Rotate the secret');
      await page
        .getByRole('dialog')
        .getByText(/^whsec_/)
        .waitFor();
      await page.keyboard.press('Escape');
      await pressAndConfirm(page, 'Disable');
      await page.getByText('disabled by its owner').waitFor();
      await page.getByRole('button', { name: 'Enable' }).click();
      await page.getByRole('button', { name: 'Disable' }).waitFor();
      await pressAndConfirm(page, 'Delete');
      await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
      await page.getByRole('link', { name: `${url}/second` }).waitFor({ state: 'detached' });
    });
  });

  it('replay: all events since a moment are delivered once more', async () => {
    const { tenant } = world;
    const endpoints = (await call(gateway, tenant, 'GET', '/v1/webhooks')).json.data;
    const { id } = endpoints.find(({ url }: { url: string }) => url.endsWith('/hook'));
    await visit(tenant.apiKey, `/webhooks/${id}`, async (page) => {
      await page.getByRole('button', { name: 'Replay…' }).click();
      await page.getByLabel('All events from').check();
      await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
      await page.getByText(/^\d+ deliveries are on their way/).waitFor();
    });
    await until('a delivery has a second attempt', async () =>
      (await deliveriesOf(gateway, tenant, id)).some(({ attempts }) => attempts.length > 1) ? true : undefined,
    );
  });

  it('event feed: a message that a person writes appears while the page is open', async () => {
    const { tenant, person } = world;
    await visit(tenant.apiKey, '/events', async (page) => {
      await page.getByText('Waiting for the next event…').waitFor();
      await until('the feed shows a message', async () => {
        await gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from: person, text: 'Hello' });
        const shown = await page.getByRole('row').filter({ hasText: 'message.received' }).count();
        return shown > 0 ? true : undefined;
      });
    });
  });

  it('templates: checked while it is written, created, shown as on the phone, tried', async () => {
    const { tenant, person } = world;
    await visit(gateway.adminToken, `/templates/new?org=${tenant.organizationId}`, async (page) => {
      await page.getByLabel('Name').fill('table_ready');
      await page.getByLabel('Text', { exact: true }).fill('{{1}} is ready');
      await page.getByText('The text may not begin or end with a placeholder.').waitFor();
      await page.getByLabel('Text', { exact: true }).fill('Table *{{1}}* is ready.');
      await page.getByLabel('Example for {{1}}').fill('seven');
      await page.getByRole('region', { name: 'As on the phone' }).getByText('Table seven is ready.').waitFor();
      await page.getByRole('button', { name: 'Send to review' }).click();
      await page.getByRole('heading', { level: 1, name: 'table_ready' }).waitFor();
      await page.getByRole('button', { name: 'Try it' }).click();
      await page.getByLabel('To (phone number with +)').fill(person);
      await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
      await page.getByRole('link', { name: 'Open the message' }).click();
      await page.getByRole('region', { name: 'As the person sees it' }).getByText('Table seven is ready.').waitFor();
    });
  });

  it('organizations: created, renamed, given a plan and a key that signs in, its key disabled', async () => {
    let key = '';
    await visit(gateway.adminToken, '/organizations', async (page) => {
      await page.getByRole('button', { name: 'New organization' }).click();
      await page.getByLabel('Name').fill('Corner Cafe');
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: 'Corner Cafe' }).waitFor();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Corner Café');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 1, name: 'Corner Café' }).waitFor();
      await page.getByRole('tab', { name: 'Plan' }).click();
      await page.getByLabel('Messages per month').fill('500');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved').waitFor();
      await page.getByRole('tab', { name: 'API keys' }).click();
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      key = (await page.getByRole('dialog').getByText(/^fw_/).textContent()) ?? '';
      await page.keyboard.press('Escape');
      const id = /organizations\/([\w-]+)/.exec(page.url())?.[1];
      const plan = await admin<{ monthly_message_limit: number }>(gateway, 'GET', `/organizations/${id}/plan`);
      assert.equal(plan.monthly_message_limit, 500);
    });
    await visit(key, '/', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
      assert.match(await textOf(page), /No messages yet/);
    });
  });

  it('usage: by category as bars, and as a file', async () => {
    const { tenant } = world;
    await visit(gateway.adminToken, `/organizations/${tenant.organizationId}?tab=usage`, async (page) => {
      await page.getByRole('row').filter({ hasText: 'marketing' }).waitFor();
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export as CSV' }).click();
      assert.match((await download).suggestedFilename(), /^usage-.*-by-category\.csv$/);
    });
  });

  it('playground: the person writes and presses a button, a fault makes a send fail', async () => {
    const { tenant, person } = world;
    const path = `/playground?org=${tenant.organizationId}&person=${encodeURIComponent(person)}`;
    await visit(gateway.adminToken, path, async (page) => {
      await page.getByLabel('Message', { exact: true }).fill('Is anybody there?');
      await page.getByRole('button', { name: 'Send as the person' }).click();
      const phone = page.getByRole('region', { name: `The phone of ${person}` }).last();
      await phone.getByText('Is anybody there?').waitFor();
      await phone.getByRole('button', { name: 'Show the offer' }).click();
      await phone.getByText('Show the offer').nth(1).waitFor();
      await page.getByRole('button', { name: 'Switch on' }).click();
      await page.getByText('0 hits').waitFor();
      await page.getByRole('button', { name: 'Switch all off' }).click();
      await page.getByText('The platform behaves.').waitFor();
    });
  });

  it('endpoint: its description, events and rate are changed', async () => {
    const { tenant, brokenEndpointId: id } = world;
    await visit(gateway.adminToken, `/webhooks/${id}?org=${tenant.organizationId}`, async (page) => {
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Description').fill('The old shop, slowly');
      await dialog.getByLabel('Deliveries per second').fill('5');
      await dialog.getByRole('combobox', { name: 'Events' }).fill('message.failed');
      await page.getByRole('option', { name: 'message.failed' }).click();
      // Leaves the field, whose list would cover the button.
      await page.keyboard.press('Tab');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
    });
    const { json } = await call(gateway, tenant, 'GET', `/v1/webhooks/${id}`);
    assert.deepEqual(
      [json.description, json.rate_per_second, json.events],
      ['The old shop, slowly', 5, ['message.failed']],
    );
  });

  it('organization: words, choices, switches and times of keeping are saved; all else stays', async () => {
    const path = `/organizations/${world.other.organizationId}`;
    const before = await admin<Record<string, unknown>>(gateway, 'GET', path);
    await visit(gateway.adminToken, path, async (page) => {
      await page.getByLabel('Words that opt a person out').fill('STOP, ende ,');
      await page.getByRole('combobox', { name: 'Bodies of sent messages' }).click();
      await page.getByRole('option', { name: 'until the message is sent' }).click();
      await page.getByLabel('Keep events (days)').fill('7');
      await page.getByLabel('Accept contacts as a text').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved').waitFor();
    });
    assert.deepEqual(await admin(gateway, 'GET', path), {
      ...before,
      opt_out_words: ['STOP', 'ende'],
      keep_bodies: 'until_sent',
      retention: { events_days: 7 },
      contacts_as_text: true,
    });
  });
});
