import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createOperator } from '../harness/operator.ts';
import { issueKey } from '../harness/tenant.ts';
import { skipWithoutBrowser, textOf } from './open-console.ts';
import { pagesOf } from './pages-of.ts';
import { useConsole } from './use-console.ts';

/** Buttons that change something, in the words of the pages. */
const CHANGES =
  /^(?:Pause|Resume|Change the pace|Cancel .*|Connect an account|Read again|Disconnect|New .*|Send a test|Replay.*|Rotate.*|Disable|Enable|Delete|Save|Edit|Close the organization|Apply again.*|Repair.*|Switch .*|Add .*|Lift|Change|Change secret|Revoke|Erase.*)$/;

describe('access in the console', { skip: skipWithoutBrowser }, () => {
  const { gateway, world, visit } = useConsole();

  it('two tenants: each sees its own messages and endpoints, whatever the address says', async () => {
    const { tenant, other } = world;
    await visit(other.apiKey, '/messages', async (page) => {
      await page.getByRole('row').filter({ hasText: 'waiting' }).first().waitFor();
      assert.doesNotMatch(await textOf(page), /131026/);
      assert.equal(await page.getByRole('link', { name: 'Organizations' }).count(), 0);
      for (const path of [`/messages/${world.readId}`, `/webhooks/${world.brokenEndpointId}`]) {
        await page.goto(`${gateway.baseUrl}/console${path}?org=${tenant.organizationId}`);
        await page.getByRole('alert').filter({ hasText: 'belongs to another organization' }).waitFor();
      }
      await page.goto(`${gateway.baseUrl}/console/messages?org=${tenant.organizationId}`);
      await page.getByRole('row').filter({ hasText: 'waiting' }).first().waitFor();
      assert.doesNotMatch(await textOf(page), /131026/);
    });
  });

  it('a key that only reads messages: the menu has the pages of messages alone', async () => {
    const { key } = await issueKey(gateway, world.tenant, { scopes: ['messages:read'] });
    await visit(key, '/', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
      const links = await page.getByRole('navigation').getByRole('link').allInnerTexts();
      assert.deepEqual(links, ['Messages', 'Conversations', 'Usage', 'API reference']);
      await page.getByRole('link', { name: 'Usage' }).click();
      await page.getByRole('table', { name: 'Delivered' }).getByText('marketing').waitFor();
      assert.doesNotMatch(await textOf(page), /By day/);
    });
  });

  it('a key at a page of operators: it is not for the key, and the session goes on', async () => {
    await visit(world.tenant.apiKey, '/now', async (page) => {
      for (const path of [
        '/now',
        '/queue',
        '/organizations',
        `/organizations/${world.tenant.organizationId}`,
        '/journal',
      ]) {
        await page.goto(`${gateway.baseUrl}/console${path}`);
        await page.getByRole('heading', { level: 1, name: 'This page is not for you' }).waitFor();
      }
      await page.getByRole('link', { name: 'To the first page' }).click();
      await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
    });
  });

  it('support: sees every page without a button that changes something, numbers masked', async () => {
    const { token } = await createOperator(gateway, 'support');
    await visit(token, '/now', async (page) => {
      for (const path of Object.values(pagesOf(world))) {
        await page.goto(`${gateway.baseUrl}/console${path}`);
        await page.locator('h1').waitFor();
        await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
        const names = await page.locator('main').getByRole('button').allInnerTexts();
        assert.deepEqual(
          names.filter((name) => CHANGES.test(name)),
          [],
          path,
        );
        const text = await textOf(page);
        // The person of a conversation is in its address, typed by the reader.
        if (!path.includes('person=')) assert.ok(!text.includes(world.person.slice(1)), path);
      }
    });
  });
});
