import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DESKTOP, PHONE, type Screen, seriousFindings, skipWithoutBrowser, textOf } from './open-console.ts';
import { pagesOf } from './pages-of.ts';
import { useConsole } from './use-console.ts';

const SCREENS: Record<string, Screen> = {
  'a wide light screen': DESKTOP,
  'a dark phone': { ...PHONE, colorScheme: 'dark' },
};

/** Number of tests among which the pages are divided. */
const PARTS = 4;

describe('every page of the console', { skip: skipWithoutBrowser }, () => {
  const { gateway, world, visit } = useConsole();

  // In parts, because a test has a limit of three minutes.
  for (const [name, part, screen] of Object.entries(SCREENS).flatMap(([name, screen]) =>
    Array.from({ length: PARTS }, (_, part) => [name, part, screen] as const),
  )) {
    it(`${name}, part ${part + 1}: no complaint, no serious finding of axe, no sideways scrolling`, async () => {
      await visit(
        gateway.adminToken,
        '/now',
        async (page) => {
          const paths = Object.values(pagesOf(world)).filter((_, index) => index % PARTS === part);
          for (const path of paths) {
            await page.goto(`${gateway.baseUrl}/console${path}`);
            await page.locator('h1').waitFor();
            // The grey bars are gone once the data is there.
            await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
            assert.deepEqual(await seriousFindings(page), [], path);
            assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, path);
          }
        },
        screen,
      );
    });
  }

  it('a German browser: the pages speak German', async () => {
    await visit(
      gateway.adminToken,
      '/queue',
      async (page) => {
        await page.getByRole('heading', { level: 1, name: 'Warteschlange' }).waitFor();
        assert.equal(await page.evaluate('document.documentElement.lang'), 'de');
        const { messages, webhooks, playground } = pagesOf(world);
        for (const path of [messages, webhooks, playground]) {
          await page.goto(`${gateway.baseUrl}/console${path}`);
          await page.locator('h1').waitFor();
          assert.doesNotMatch(await textOf(page), /\bundefined\b/, path);
        }
      },
      { ...DESKTOP, locale: 'de-DE' },
    );
  });

  it('time zone: chosen once → all times of the pages are in it', async () => {
    await visit(gateway.adminToken, `/messages/${world.readId}?org=${world.tenant.organizationId}`, async (page) => {
      const shown = () => page.locator('dd time').first();
      const at = (await shown().getAttribute('datetime')) ?? '';
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tokyo');
      await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
      const hours = String((new Date(at).getUTCHours() + 9) % 24).padStart(2, '0');
      await page
        .locator('dd time', { hasText: `${hours}:` })
        .first()
        .waitFor();
    });
  });

  it('time zone: fields for date and time are in it, and the address keeps UTC', async () => {
    await visit(gateway.adminToken, `/audit?org=${world.tenant.organizationId}`, async (page) => {
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tokyo');
      await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
      await page.keyboard.press('Escape');
      await page.getByText('Times: Asia/Tokyo').waitFor();
      await page.getByLabel('From').fill('2026-03-01T08:30');
      await page.waitForURL(/from=2026-02-28T23%3A30%3A00/);
      assert.equal(await page.getByLabel('From').inputValue(), '2026-03-01T08:30');
    });
  });

  it('the first page: at most 300 KB of compressed script', async () => {
    let bytes = 0;
    await visit(gateway.adminToken, '/now', async (page) => {
      const sizes = await page.evaluate<number[]>(
        `performance.getEntriesByType('resource').filter(({ name }) => /\\.js$/.test(name)).map(({ encodedBodySize }) => encodedBodySize)`,
      );
      bytes = sizes.reduce((sum, size) => sum + size, 0);
    });
    assert.ok(bytes > 0 && bytes <= 300_000, `${bytes} bytes`);
  });
});
