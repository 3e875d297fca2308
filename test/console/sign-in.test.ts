import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createOperator } from '../harness/operator.ts';
import { admin } from '../harness/tenant.ts';
import { skipWithoutBrowser } from './open-console.ts';
import { useConsole } from './use-console.ts';

describe('signing in at the console', { skip: skipWithoutBrowser }, () => {
  const { gateway, world, visit } = useConsole();

  async function signIn(page: Page, token: string) {
    await page.getByLabel('Operator token or API key').fill(token);
    await page.keyboard.press('Enter');
  }

  it('a deep link: asks for a token, then shows the page that was asked for', async () => {
    await visit(undefined, `/messages?status=failed&org=${world.tenant.organizationId}`, async (page) => {
      await signIn(page, 'not-a-token');
      await page.getByRole('alert').filter({ hasText: 'The token is not valid' }).waitFor();
      await signIn(page, gateway.adminToken);
      await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
      await page.getByRole('row').filter({ hasText: '131026' }).waitFor();
      assert.match(page.url(), /status=failed/);
    });
  });

  it('the one-time link of the demo: signs in, and leaves no code in the address', async () => {
    const link = gateway.app.consoleLink().replace('/console', '');
    await visit(undefined, link, async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
      assert.doesNotMatch(page.url(), /link=/);
    });
    await visit(undefined, link, async (page) => {
      await page.getByRole('alert').filter({ hasText: 'has been used or has expired' }).waitFor();
    });
  });

  it('sign out: the sign-in appears, and the cookie opens nothing any more', async () => {
    await visit(gateway.adminToken, '/now', async (page) => {
      await page.getByRole('button', { name: 'ADMIN_TOKEN' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByLabel('Operator token or API key').waitFor();
      await page.reload();
      await page.getByLabel('Operator token or API key').waitFor();
    });
  });

  it('an operator revoked: the open page asks to sign in again', async () => {
    const operator = await createOperator(gateway, 'operator');
    await visit(operator.token, '/queue', async (page) => {
      await page.getByRole('table', { name: 'Queue' }).waitFor();
      await admin(gateway, 'DELETE', `/operators/${operator.id}`);
      await page.getByText('Your session has ended').waitFor();
    });
  });
});
