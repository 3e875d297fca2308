import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { signIn } from '../harness/console.ts';
import type { Served } from '../harness/tenant.ts';

const BROWSER = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`).find(existsSync);

/** False, or the reason for which tests with a browser are skipped. In CI the browser has to be there. */
export const skipWithoutBrowser = BROWSER === undefined && process.env.CI === undefined && 'there is no Chromium here';

export interface Screen {
  colorScheme: 'light' | 'dark';
  viewport: { width: number; height: number };
  locale?: string;
}

export const DESKTOP: Screen = { colorScheme: 'light', viewport: { width: 1440, height: 900 } };
export const DARK: Screen = { colorScheme: 'dark', viewport: { width: 1440, height: 900 } };
export const PHONE: Screen = { colorScheme: 'light', viewport: { width: 375, height: 740 } };

export function launchBrowser(): Promise<Browser> {
  assert.ok(BROWSER !== undefined, 'there is no Chromium');
  return chromium.launch({
    executablePath: BROWSER,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
}

/** A window of a signed-in person, and everything that the browser complained about. */
export interface ConsoleWindow {
  page: Page;
  context: BrowserContext;
  /** Errors and warnings of the browser, violations of the policy, and requests to other hosts. */
  complaints: string[];
  /** Opens a path below `/console` and waits for its heading. */
  open(path: string): Promise<void>;
  /** Closes the window; fails if the browser complained. */
  close(): Promise<void>;
}

/** Opens a window, signed in with a token or key, or not at all. */
export async function openConsole(
  browser: Browser,
  gateway: Served,
  token: string | undefined,
  screen: Screen = DESKTOP,
): Promise<ConsoleWindow> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...screen });
  if (token !== undefined) {
    const { cookie, signedIn } = await signIn(gateway, { token });
    assert.equal(signedIn.status, 200, signedIn.text);
    const [name = '', value = ''] = cookie.split('=', 2);
    await context.addCookies([{ name, value, url: gateway.baseUrl, httpOnly: true, sameSite: 'Strict' }]);
  }
  const page = await context.newPage();
  // Generous, because a loaded machine takes many times longer than an idle one.
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    // A refused call is part of some visits; the pages show it.
    if (/Failed to load resource/.test(message.text())) return;
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(gateway.baseUrl) && !/^(?:blob|data):/.test(url)) complaints.push(`asks ${url}`);
  });
  return {
    page,
    context,
    complaints,
    async open(path) {
      await page.goto(`${gateway.baseUrl}/console${path}`);
      await page.locator('h1, [role="alert"]').first().waitFor();
    },
    async close() {
      await context.close();
      assert.deepEqual(complaints, []);
    },
  };
}

/** Returns the serious findings of axe on the page as it is. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Evaluated by the debugger: the policy of the page forbids an injected script.
  await page.evaluate(axe.source);
  const found = await page.evaluate<string[]>(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ impact, id, nodes }) => nodes.map(({ html }) => impact + ' ' + id + ': ' + html.slice(0, 200))))`,
  );
  return found.filter((one) => /^(?:serious|critical)/.test(one));
}

/** Returns the text of the page below the header. */
export async function textOf(page: Page): Promise<string> {
  return (await page.locator('main').textContent()) ?? '';
}
