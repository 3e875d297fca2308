import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { fill, useTenant } from '../harness/fixtures.ts';
import type { Account } from '../harness/identity-provider.ts';
import { admin } from '../harness/tenant.ts';
import { useOidc } from './oidc-walk.ts';
import { DESKTOP, launchBrowser, seriousFindings, skipWithoutBrowser } from './open-console.ts';

const ADA = { sub: 'ada-1', email: 'ada@example.com', name: 'Ada Example', groups: ['owners'] };
const SAM = { sub: 'sam-1', email: 'sam@example.com', name: 'Sam Example', groups: ['help-desk'] };
const EVE = { sub: 'eve-1', email: 'eve@example.com', name: 'Eve Example', groups: ['sales'] };

describe('signing in at the console by the identity provider', { skip: skipWithoutBrowser }, () => {
  const { gateway, provider } = useOidc();
  const tenant = useTenant(gateway);
  const opened = fill<{ browser?: Browser }>(async () => ({ browser: await launchBrowser() }));
  after(() => opened.browser?.close());

  /** Opens a page for a person in front of the browser. Fails if the browser reports a violation of the policy, or asks a third host. */
  async function visit(person: Account | undefined, path: string, run: (page: Page) => Promise<void>) {
    if (opened.browser === undefined) throw new Error('The browser is not open.');
    provider.seat.person = person;
    const context = await opened.browser.newContext({ ...DESKTOP, locale: 'en-GB' });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
        complaints.push(message.text());
    });
    page.on('request', (request) => {
      const isKnown = [gateway.baseUrl, provider.issuer].some((origin) => request.url().startsWith(origin));
      if (!isKnown && !/^(?:blob|data):/.test(request.url())) complaints.push(`asks ${request.url()}`);
      const referrer = request.headers().referer ?? '';
      if (/code=|state=/.test(referrer)) complaints.push(`refers ${referrer}`);
    });
    await page.goto(`${gateway.baseUrl}/console${path}`);
    await page.getByLabel('Operator token or API key').waitFor();
    await run(page);
    await context.close();
    assert.deepEqual(complaints, []);
  }
  const press = (page: Page) => page.getByRole('button', { name: 'Sign in with Example Login' }).click();

  it('an admin: back at the page that was asked for, named, without code in the address', async () => {
    await visit(ADA, `/messages?status=failed&org=${tenant.organizationId}`, async (page) => {
      assert.deepEqual(await seriousFindings(page), []);
      await press(page);
      await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
      assert.match(page.url(), /\/console\/messages\?status=failed/);
      assert.doesNotMatch(page.url(), /code=|state=/);
      const cookies = await page.context().cookies(gateway.baseUrl);
      const session = cookies.find(({ name }) => name === 'fairway_session');
      assert.deepEqual([session?.httpOnly, session?.sameSite], [true, 'Strict']);
      assert.ok(!cookies.some(({ name }) => name === 'fairway_sign_in'));
      await page.goto(`${gateway.baseUrl}/console/operators`);
      const row = page.getByRole('row').filter({ hasText: 'identity provider: ada@example.com' });
      await row.getByRole('button', { name: 'Change' }).click();
      await page.getByText('Name and role come from the identity provider').waitFor();
      assert.equal(await row.getByRole('button', { name: 'New token' }).count(), 0);
      await page.keyboard.press('Escape');
      await page.goto(`${gateway.baseUrl}/console/audit`);
      await page.getByRole('row').filter({ hasText: 'signIn' }).first().waitFor();
    });
  });

  it('support: the pages show no way to change anything', async () => {
    await visit(SAM, '/', async (page) => {
      await press(page);
      await page.getByRole('button', { name: 'Sam Example' }).click();
      await page.getByText('Support (reads only)').waitFor();
      await page.keyboard.press('Escape');
      await page.goto(`${gateway.baseUrl}/console/numbers?org=${tenant.organizationId}`);
      await page.getByRole('heading', { level: 1, name: 'Numbers and accounts' }).waitFor();
      await page.getByText(tenant.phoneNumberId).first().waitFor();
      assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 0);
    });
  });

  it('no role → the page says what to ask for, once', async () => {
    await visit(EVE, '/queue', async (page) => {
      await press(page);
      const alert = page.getByRole('alert');
      await alert.filter({ hasText: 'your account has no role' }).waitFor();
      const text = (await alert.textContent()) ?? '';
      for (const part of ['eve@example.com', 'groups', 'help-desk', 'on-call', 'owners'])
        assert.ok(text.includes(part));
      assert.deepEqual(await seriousFindings(page), []);
      await page.reload();
      await page.getByLabel('Operator token or API key').waitFor();
      assert.equal(await page.getByRole('alert').count(), 0);
    });
  });

  it('a person who refuses at the provider → the page says so; a token still signs in', async () => {
    await visit(undefined, '/queue', async (page) => {
      await press(page);
      await page.getByRole('alert').filter({ hasText: 'did not sign you in' }).waitFor();
      await page.getByLabel('Operator token or API key').fill(gateway.adminToken);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Queue' }).waitFor();
    });
  });

  it('the provider is down → the page says so and stays usable', async () => {
    await visit(ADA, '/queue', async (page) => {
      await page.route('**/console/oidc', (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({ status: 503, json: { code: 'UNAVAILABLE', message: 'down' } })
          : route.continue(),
      );
      await press(page);
      await page.getByRole('alert').filter({ hasText: 'The identity provider does not answer' }).waitFor();
      await page.unroute('**/console/oidc');
      await press(page);
      await page.getByRole('heading', { level: 1, name: 'Queue' }).waitFor();
    });
  });

  it('sign out: the browser goes to the provider, which ends its session and leads back', async () => {
    await visit(ADA, '/queue', async (page) => {
      await press(page);
      await page.getByRole('heading', { level: 1, name: 'Queue' }).waitFor();
      await page.getByRole('button', { name: 'Ada Example' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.waitForURL((url) => url.origin === provider.issuer);
      await page.getByRole('button', { name: /yes/i }).click();
      await page.waitForURL((url) => url.href.startsWith(`${gateway.baseUrl}/console/`));
      await page.getByLabel('Operator token or API key').waitFor();
    });
  });

  it('revoked while a page is open → the page asks to sign in, and the next sign-in is refused', async () => {
    const person = { sub: 'leaver-1', email: 'leaver@example.com', name: 'Lee Leaver', groups: ['on-call'] };
    await visit(person, '/queue', async (page) => {
      await press(page);
      await page.getByText('Nothing waits').waitFor();
      const { data } = await admin<{ data: { id: string; name: string }[] }>(gateway, 'GET', '/operators');
      await admin(gateway, 'DELETE', `/operators/${data.find(({ name }) => name === person.name)?.id}`);
      await page.getByText('Your session has ended').waitFor();
      await press(page);
      await page.getByRole('alert').filter({ hasText: 'was revoked or has expired' }).waitFor();
    });
  });
});
