import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createOperator } from '../harness/operator.ts';
import { call, readMessage } from '../harness/tenant.ts';
import { MARKUP } from './console-world.ts';
import { skipWithoutBrowser, textOf } from './open-console.ts';
import { useConsole } from './use-console.ts';

describe('the pages of messages', { skip: skipWithoutBrowser }, () => {
  const { gateway, world, visit } = useConsole();

  it('filters: in the address, undone by the back button, cleared from an empty list', async () => {
    await visit(world.tenant.apiKey, '/messages', async (page) => {
      await page.getByRole('row').filter({ hasText: 'spring_offer' }).waitFor();
      await page.getByLabel('Error code').fill('131026');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/messages?error_code=131026');
      await page.getByRole('row').filter({ hasText: 'spring_offer' }).waitFor({ state: 'detached' });
      await page.getByRole('row').filter({ hasText: '131026' }).waitFor();
      await page.goBack();
      await page.getByRole('row').filter({ hasText: 'spring_offer' }).waitFor();
      await page.getByLabel('Template').fill('no_such_template');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'No message found' }).waitFor();
      await page.locator('main').getByRole('button', { name: 'Clear all filters' }).last().click();
      await page.getByRole('row').filter({ hasText: 'spring_offer' }).waitFor();
    });
  });

  it('a read template: drawn with its parameters, with timeline, attempt and deliveries', async () => {
    await visit(world.tenant.apiKey, `/messages/${world.readId}`, async (page) => {
      const phone = page.getByRole('region', { name: 'As the person sees it' });
      await phone.getByText('Hello Grace, your code SPRING20 takes 20 % off until Sunday.').waitFor();
      await phone.getByText('Show the offer').waitFor();
      const timeline = page.getByRole('region', { name: 'Timeline' });
      for (const step of ['Accepted and stored', 'Accepted by the platform', 'Delivered to the phone', 'Read']) {
        await timeline.getByText(step, { exact: true }).waitFor();
      }
      await page.getByRole('table', { name: 'Attempts at the platform' }).getByText('wamid.').waitFor();
      await page.getByRole('table', { name: 'Deliveries to webhook endpoints' }).getByText('204').first().waitFor();
    });
  });

  it('a body with markup: shown as text on every page, and nothing of it runs', async () => {
    const { tenant, markupId, person } = world;
    const paths = ['/messages', `/messages/${markupId}`, `/conversations?person=${encodeURIComponent(person)}`];
    for (const path of paths) {
      await visit(tenant.apiKey, path, async (page) => {
        await page.getByText('<img src=x').first().waitFor();
        assert.equal(await page.locator('main img').count(), 0, path);
        assert.equal(await page.locator('main b').count(), 0, path);
        if (path === '/messages') assert.ok((await textOf(page)).includes(MARKUP));
      });
    }
  });

  it('the raw body: the bytes that were sent, opened beside the contents; masked for support', async () => {
    const { tenant, markupId } = world;
    const { text } = await call(gateway, tenant, 'GET', `/v1/messages/${markupId}/body`);
    await visit(tenant.apiKey, `/messages/${markupId}`, async (page) => {
      await page.getByText('Raw body, as sent to the platform').click();
      const raw = page.getByRole('region', { name: 'Raw body, as sent to the platform' });
      await raw.waitFor();
      assert.equal(await raw.textContent(), text);
      assert.ok(text.includes(JSON.stringify(MARKUP)));
    });
    const { token } = await createOperator(gateway, 'support');
    await visit(token, `/messages/${markupId}?org=${tenant.organizationId}`, async (page) => {
      await page.getByText('Raw body, as sent to the platform').click();
      const raw = page.getByRole('region', { name: 'Raw body, as sent to the platform' });
      await raw.waitFor();
      assert.doesNotMatch((await raw.textContent()) ?? '', /img|plain/);
    });
  });

  it('a failed message: the code has its advice, and leads to the reference', async () => {
    await visit(world.tenant.apiKey, `/messages/${world.failedId}`, async (page) => {
      const alert = page.getByRole('alert').filter({ hasText: 'Why it failed: 131026' });
      await alert.getByText('The person cannot be reached').waitFor();
      assert.match((await alert.getByRole('link').getAttribute('href')) ?? '', /^\/docs\/errors/);
    });
  });

  it('a waiting message: says why, and is cancelled after a question', async () => {
    const { other, waitingId } = world;
    await visit(other.apiKey, `/messages/${waitingId}`, async (page) => {
      await page.getByText('An operator of the gateway has paused the number.').waitFor();
      await page.getByRole('button', { name: 'Cancel this message' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel this message' }).click();
      await page.getByRole('dialog').getByText('Cancelled.').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('alert').filter({ hasText: 'Why it failed: CANCELLED' }).waitFor();
      await page.locator('a[href="/docs/errors#CANCELLED"]').waitFor();
    });
    assert.equal((await readMessage(gateway, other, waitingId)).error_code, 'CANCELLED');
  });

  it('a conversation: both sides in order, and the clock of the open window', async () => {
    const { tenant, person } = world;
    await visit(tenant.apiKey, `/conversations?person=${encodeURIComponent(person)}`, async (page) => {
      await page.getByText('The window is open.').waitFor();
      await page.getByRole('timer').getByText('left').waitFor();
      const text = await textOf(page);
      assert.ok(text.indexOf('Is my order on its way?') < text.indexOf('Hello Grace'), text);
    });
  });

  it('search by keyboard: a message id → its page; a phone number → its conversation', async () => {
    await visit(world.tenant.apiKey, '/messages', async (page) => {
      await page.keyboard.press('Control+k');
      await page.locator('[role="combobox"]:focus').waitFor();
      await page.keyboard.type(world.readId);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/messages/${world.readId}`);
      await page.getByRole('heading', { level: 1, name: 'Message' }).waitFor();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.keyboard.press('Control+k');
      await page.locator('[role="combobox"]:focus').waitFor();
      await page.keyboard.type(world.person);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/conversations?person=*');
      await page.getByText('Is my order on its way?').waitFor();
    });
  });
});
