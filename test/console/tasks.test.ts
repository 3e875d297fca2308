import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutBrowser } from './open-console.ts';
import { useConsole } from './use-console.ts';

/** Counts the clicks and keys of a task. Text that is typed or pasted into a field counts as one. */
function countActions(page: Page) {
  let actions = 0;
  return {
    get count() {
      return actions;
    },
    async click(role: 'button' | 'link' | 'option' | 'combobox', name: string | RegExp) {
      actions += 1;
      await page.getByRole(role, { name }).first().click();
    },
    async press(key: string) {
      actions += 1;
      await page.keyboard.press(key);
    },
    async type(text: string) {
      actions += 1;
      await page.keyboard.insertText(text);
    },
  };
}

describe('tasks in the console, counted from the sign-in', { skip: skipWithoutBrowser }, () => {
  const { gateway, world, visit } = useConsole();

  it('why did message X not arrive: at most 6 clicks and keys', async () => {
    await visit(world.tenant.apiKey, '/', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
      const task = countActions(page);
      await task.press('Control+k');
      await page.locator('[role="combobox"]:focus').waitFor();
      await task.type(world.failedId);
      await task.press('Enter');
      await page.getByText('The person cannot be reached').waitFor();
      assert.ok(task.count <= 6, `${task.count}`);
    });
  });

  it('pause a number: at most 4 clicks and keys', async () => {
    await visit(gateway.adminToken, `/?org=${world.tenant.organizationId}`, async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
      const task = countActions(page);
      await task.click('link', 'Numbers and accounts');
      await task.click('button', 'Pause');
      await page.getByRole('dialog').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).focus();
      await task.press('Enter');
      await page.getByRole('row').filter({ hasText: 'paused' }).waitFor();
      assert.ok(task.count <= 4, `${task.count}`);
    });
  });

  it('replay a failed endpoint: at most 5 clicks and keys', async () => {
    await visit(world.tenant.apiKey, '/', async (page) => {
      const task = countActions(page);
      await task.click('link', 'Webhooks');
      await task.click('link', /refused$/);
      await task.click('button', 'Replay…');
      await page.getByRole('dialog').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).focus();
      await task.press('Enter');
      await page.getByText(/deliveries are on their way/).waitFor();
      assert.ok(task.count <= 5, `${task.count}`);
    });
  });

  it('find what a person was sent: at most 4 clicks and keys', async () => {
    await visit(world.tenant.apiKey, '/', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
      const task = countActions(page);
      await task.press('Control+k');
      await page.locator('[role="combobox"]:focus').waitFor();
      await task.type(world.person);
      await task.press('Enter');
      await page.getByRole('row').filter({ hasText: 'spring_offer' }).waitFor();
      assert.ok(task.count <= 4, `${task.count}`);
    });
  });

  it('keyboard alone: a paused number → resumed', async () => {
    await visit(gateway.adminToken, `/?org=${world.other.organizationId}`, async (page) => {
      await searchFor(page, 'Numbers and accounts');
      await tabTo(page, 'Resume');
      await page.keyboard.press('Enter');
      await page.locator('[role="dialog"] button:focus', { hasText: 'Resume' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('row').filter({ hasText: 'sends' }).waitFor();
    });
  });

  it('keyboard alone: a failing endpoint → found and replayed', async () => {
    await visit(gateway.adminToken, `/?org=${world.tenant.organizationId}`, async (page) => {
      await searchFor(page, 'Webhooks');
      await tabTo(page, /refused$/);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: /refused$/ }).waitFor();
      await tabTo(page, 'Replay…');
      await page.keyboard.press('Enter');
      await page.locator('[role="dialog"] :focus').waitFor();
      await tabTo(page, 'Replay');
      await page.keyboard.press('Enter');
      await page.getByText(/deliveries are on their way/).waitFor();
    });
  });

  it('keyboard alone: a phone number → its failed message, and why it failed', async () => {
    await visit(world.tenant.apiKey, '/', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
      await searchFor(page, 'Messages', '+15550102026');
      await tabTo(page, /^\d+ \w+, \d\d:/);
      await page.keyboard.press('Enter');
      await page.getByText('The person cannot be reached').waitFor();
    });
  });

  /** Opens a page by the search: its name, or other words. */
  async function searchFor(page: Page, title: string, words = title): Promise<void> {
    await page.keyboard.press('Control+k');
    await page.locator('[role="combobox"]:focus').waitFor();
    await page.keyboard.insertText(words);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.locator('[role="dialog"]').waitFor({ state: 'detached' });
    await page.locator('main table').first().waitFor();
  }

  /** Presses Tab until something with this text has the focus. */
  async function tabTo(page: Page, name: string | RegExp): Promise<void> {
    const seen: string[] = [];
    while (seen.length < 40) {
      await page.keyboard.press('Tab');
      const text = await page.evaluate<string>('document.activeElement.textContent.trim()');
      if (typeof name === 'string' ? text === name : name.test(text)) return;
      seen.push(text.slice(0, 30));
    }
    assert.fail(`${name} has no place among ${seen.join(' | ')}`);
  }
});
