import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { appBody } from '../api/apps/further-app.ts';
import { createOperator } from '../harness/operator.ts';
import { admin, askAdmin, until } from '../harness/tenant.ts';
import { postWebhook } from '../harness/upstream-webhook.ts';
import { DARK, DESKTOP, PHONE, seriousFindings, skipWithoutBrowser, textOf } from './open-console.ts';
import { useConsole } from './use-console.ts';

const OPACITY = `getComputedStyle(document.querySelector('[role=dialog]')).opacity`;

describe('the page of Meta apps', { skip: skipWithoutBrowser }, () => {
  const { gateway, world, visit } = useConsole();
  const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const isAccepted = async (appId: string, secret: string) =>
    (await postWebhook(gateway, {}, { secret, appId })).status === 200;

  it('an app: created, changed, given another secret, deleted; no page or answer has a secret', async () => {
    const body = appBody();
    const [secret = ''] = body.secrets;
    await visit(gateway.adminToken, '/apps', async (page) => {
      const answers: Promise<string>[] = [];
      page.on('response', (response) => {
        if (response.url().includes('/admin/v1/apps')) answers.push(response.text().catch(() => ''));
      });
      const dialog = page.getByRole('dialog');
      const closed = () => dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'New app' }).click();
      await dialog.getByLabel('App ID').fill(body.app_id);
      await dialog.getByLabel('Name').fill('Agency of Ada');
      await dialog.getByLabel('App secret').fill(secret);
      await dialog.getByLabel('Verify token').fill(body.verify_token);
      await dialog.getByRole('button', { name: 'Create' }).click();
      await closed();
      const row = rowOf(page, body.app_id);
      await row.getByText(`${gateway.baseUrl}/webhooks/upstream/${body.app_id}`).waitFor();
      assert.ok(await isAccepted(body.app_id, secret));

      await row.getByRole('button', { name: 'Change', exact: true }).click();
      await dialog.getByLabel('Name').fill('Agency of Grace');
      await dialog.getByLabel('Proof of the secret').check();
      await dialog.getByLabel('Sign-up configuration').fill('770011');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await closed();
      await rowOf(page, 'Agency of Grace').getByText('770011').waitFor();

      await row.getByRole('button', { name: 'Change secret' }).click();
      await dialog.getByLabel('App secret').fill('secret-after-it');
      await dialog.getByLabel('Second secret').fill(secret);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await closed();
      await row.getByText('two: a rotation').waitFor();
      assert.ok(await isAccepted(body.app_id, 'secret-after-it'));

      await row.getByRole('button', { name: 'Delete' }).click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await row.waitFor({ state: 'detached' });
      const shown = [await textOf(page), ...(await Promise.all(answers))].join('\n');
      for (const hidden of [secret, 'secret-after-it', body.verify_token]) assert.ok(!shown.includes(hidden));
    });
    assert.equal((await askAdmin(gateway, 'GET', `/apps/${body.app_id}`)).status, 404);
  });

  it('a wrong app: the refusal in its dialog; an app of an account: not deleted', async () => {
    const body = appBody();
    await admin(gateway, 'POST', '/apps', body);
    const account = `/wabas/${world.tenant.wabaId}`;
    await admin(gateway, 'PATCH', account, { app_id: body.app_id });
    await visit(gateway.adminToken, '/apps', async (page) => {
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'New app' }).click();
      await dialog.getByLabel('App ID').fill(body.app_id);
      await dialog.getByLabel('Name').fill('The same');
      await dialog.getByLabel('App secret').fill('any');
      await dialog.getByLabel('Verify token').fill('a-verify-token-to-guess');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.getByText('There is an app with this id already.').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await rowOf(page, body.app_id).getByRole('button', { name: 'Delete' }).click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await dialog.getByText(/Business accounts, onboardings or set-up links have this app/).waitFor();
    });
    assert.equal((await askAdmin(gateway, 'GET', `/apps/${body.app_id}`)).status, 200);
    await admin(gateway, 'PATCH', account, { app_id: null });
  });

  for (const role of ['support', 'operator'] as const) {
    it(`${role}: neither in the menu, nor behind the address`, async () => {
      const { token } = await createOperator(gateway, role);
      await visit(token, '/apps', async (page) => {
        await page.getByRole('heading', { level: 1, name: 'This page is not for you' }).waitFor();
        assert.equal(await page.getByRole('button', { name: 'New app' }).count(), 0);
        assert.equal(await page.getByRole('link', { name: 'Meta apps' }).count(), 0);
      });
    });
  }

  for (const [name, screen] of [
    ['light', DESKTOP],
    ['dark', DARK],
    ['phone', PHONE],
  ] as const) {
    it(`${name}: the list and both forms have no serious fault of access`, async () => {
      await visit(
        gateway.adminToken,
        '/apps',
        async (page) => {
          for (const button of ['New app', 'Change secret']) {
            await page.getByRole('button', { name: button }).first().click();
            await page.getByRole('dialog').getByLabel('App secret').waitFor();
            // While the dialog fades in, its colours have too little contrast.
            await until('the dialog is opaque', async () => (await page.evaluate(OPACITY)) === '1' || undefined);
            assert.deepEqual(await seriousFindings(page), []);
            await page.keyboard.press('Escape');
            await page.getByRole('dialog').waitFor({ state: 'detached' });
          }
        },
        screen,
      );
    });
  }
});
