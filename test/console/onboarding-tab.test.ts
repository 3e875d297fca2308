import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFurtherApp } from '../api/apps/further-app.ts';
import { begin, createNewcomer, untilRests } from '../api/onboarding/onboarding.ts';
import { sendsTo } from '../harness/tenant.ts';
import { DARK, DESKTOP, seriousFindings, skipWithoutBrowser } from './open-console.ts';
import { useConsole } from './use-console.ts';

describe('the tab of onboardings', { skip: skipWithoutBrowser }, () => {
  const { gateway, visit } = useConsole();

  it('a token in the form → every step done', async () => {
    const newcomer = await createNewcomer(gateway);
    await visit(gateway.adminToken, `/organizations/${newcomer.organizationId}?tab=onboarding`, async (page) => {
      await page.getByRole('button', { name: 'Connect with a token' }).click();
      await page.getByLabel('Access token').fill(newcomer.accessToken);
      await page.getByLabel(/^Recipient of the test message/).fill(newcomer.recipient);
      await page.getByRole('dialog').getByRole('button', { name: 'Connect with a token' }).click();
      await page.getByText('The test message was delivered.').waitFor();
    });
    assert.equal(sendsTo(gateway, newcomer.recipient).length, 1);
  });

  it('several apps → a choice of the app, by which the token is checked', async () => {
    const newcomer = await createNewcomer(gateway);
    const app = await createFurtherApp(gateway);
    await visit(gateway.adminToken, `/organizations/${newcomer.organizationId}?tab=onboarding`, async (page) => {
      await page.getByRole('button', { name: 'Connect with a token' }).click();
      await page.getByLabel('Access token').fill(newcomer.accessToken);
      await page.getByLabel('Meta app').selectOption(app.id);
      assert.deepEqual(await seriousFindings(page), []);
      await page.getByRole('dialog').getByRole('button', { name: 'Connect with a token' }).click();
      await page.getByText(/did not match the Viewing App/).waitFor();
    });
  });

  for (const [theme, screen] of [
    ['light', DESKTOP],
    ['dark', DARK],
  ] as const) {
    it(`${theme}, a failed step → its advice and a form to repeat it, which works`, async () => {
      const newcomer = await createNewcomer(gateway);
      gateway.simulator.world.setPin(newcomer.phoneNumberId, '246813');
      const { id } = await begin(gateway, newcomer, { access_token: newcomer.accessToken });
      await untilRests(gateway, newcomer, id);
      const path = `/organizations/${newcomer.organizationId}?tab=onboarding`;
      const repairs = async (page: Parameters<Parameters<typeof visit>[2]>[0]) => {
        await page.getByText(/133005/).waitFor();
        assert.deepEqual(await seriousFindings(page), []);
        await page.getByLabel('pin', { exact: true }).fill('246813');
        await page.getByRole('button', { name: 'Repeat' }).first().click();
        await page.getByText('The number was registered.').waitFor();
      };
      await visit(gateway.adminToken, path, repairs, screen);
    });
  }
});
