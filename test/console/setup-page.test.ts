import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { begin, createNewcomer, type Newcomer } from '../api/onboarding/onboarding.ts';
import { fill, useGateway } from '../harness/fixtures.ts';
import { admin, sendsTo } from '../harness/tenant.ts';
import { DARK, DESKTOP, launchBrowser, type Screen, seriousFindings, skipWithoutBrowser } from './open-console.ts';

describe('the page of a set-up link', { skip: skipWithoutBrowser }, () => {
  const gateway = useGateway();
  const opened = fill<{ browser?: Browser }>(async () => ({ browser: await launchBrowser() }));
  after(() => opened.browser?.close());

  const linkFor = ({ organizationId, recipient }: Newcomer) =>
    admin<{ id: string; url: string }>(gateway, 'POST', `/organizations/${organizationId}/setup-links`, {
      test_recipient: recipient,
    });

  /** Opens a window on a link; fails if the browser complained. */
  async function visit(url: string, walk: (page: Page, context: BrowserContext) => Promise<void>, screen: Screen) {
    assert.ok(opened.browser);
    const context = await opened.browser.newContext({ locale: 'en-GB', ...screen });
    const complaints: string[] = [];
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
          complaints.push(message.text());
      });
      await page.goto(url);
      await walk(page, context);
    } finally {
      await context.close();
    }
    assert.deepEqual(complaints, []);
  }

  for (const [theme, screen] of [
    ['light', DESKTOP],
    ['dark', DARK],
  ] as const) {
    it(`${theme}: from nothing to a delivered message`, async (t) => {
      const newcomer = await createNewcomer(gateway);
      const { url } = await linkFor(newcomer);
      const startedMs = performance.now();
      await visit(
        url,
        async (page) => {
          await page.getByRole('button', { name: 'Connect with Facebook' }).click();
          await page.getByRole('link', { name: newcomer.wabaId }).click();
          await page.getByText('Everything is set up.').waitFor();
          t.diagnostic(`delivered after ${Math.round(performance.now() - startedMs)} ms`);
          assert.equal(page.url(), `${gateway.baseUrl}/setup`);
          assert.equal(await page.locator('[data-state="done"]').count(), 8);
          assert.deepEqual(await seriousFindings(page), []);
        },
        screen,
      );
      assert.equal(sendsTo(gateway, newcomer.recipient).length, 1);
    });
  }

  it('PIN of another business → the advice, a form for the PIN, then delivered', async () => {
    const newcomer = await createNewcomer(gateway);
    gateway.simulator.world.setPin(newcomer.phoneNumberId, '246813');
    const { url } = await linkFor(newcomer);
    await visit(
      url,
      async (page) => {
        await page.getByRole('button', { name: 'Connect with Facebook' }).click();
        await page.getByRole('link', { name: newcomer.wabaId }).click();
        const step = page.locator('[data-step="register_number"][data-state="failed"]');
        await step.waitFor();
        assert.match((await step.textContent()) ?? '', /133005/);
        assert.deepEqual(await seriousFindings(page), []);
        await step.getByLabel('PIN of two-step verification').fill('246813');
        await step.getByRole('button', { name: 'Try again' }).click();
        await page.getByText('Everything is set up.').waitFor();
      },
      DESKTOP,
    );
    assert.equal(sendsTo(gateway, newcomer.recipient).length, 1);
  });

  it('cancelled at the dialog → says so, and can be begun again', async () => {
    const newcomer = await createNewcomer(gateway);
    const { url } = await linkFor(newcomer);
    await visit(
      url,
      async (page) => {
        await page.getByRole('button', { name: 'Connect with Facebook' }).click();
        await page.getByRole('link', { name: 'Cancel' }).click();
        await page.getByText('The sign-up was cancelled. Nothing was shared.').waitFor();
        await page.getByRole('button', { name: 'Connect with Facebook' }).waitFor();
      },
      DESKTOP,
    );
  });

  it('no secret, or a revoked link → asks for the link', async () => {
    const newcomer = await createNewcomer(gateway);
    const { id, url } = await linkFor(newcomer);
    await admin(gateway, 'DELETE', `/organizations/${newcomer.organizationId}/setup-links/${id}`);
    for (const address of [url, `${gateway.baseUrl}/setup`]) {
      await visit(address, (page) => page.getByText('Open your set-up link again.').waitFor(), DESKTOP);
    }
    // Other onboardings of the organization are not the link's.
    await begin(gateway, newcomer, { access_token: 'unknown' });
  });
});
