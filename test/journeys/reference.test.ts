import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';

const run = promisify(execFile);
const MODULES = resolve(import.meta.dirname, '../../node_modules');
const BROWSER = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`).find(existsSync);

/** Pages of every kind. */
const PAGES = ['/docs', '/docs/guide', '/docs/errors', '/docs/events', '/docs/api/media'];
const SCREENS = [
  { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 375, height: 700 } },
] as const;

interface Demo {
  apiKey: string;
  phoneNumberId: string;
}

// In CI the browser has to be there; elsewhere the tests without a browser are enough.
const skip = BROWSER === undefined && process.env.CI === undefined && 'there is no Chromium here';

describe('the reference in a browser', { skip }, () => {
  let dir: string;
  let serve: ServeProcess;
  let browser: Browser;
  let demo: Demo;
  /** Complaints of the browser, and requests to other hosts. */
  let complaints: string[] = [];
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'fairway-reference-'));
    serve = await startServeProcess(join(dir, 'data'), { PORT: '0' });
    demo = JSON.parse(await readFile(join(dir, 'data/demo.json'), 'utf8'));
    assert.ok(BROWSER !== undefined, 'there is no Chromium');
    browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
  });
  after(async () => {
    await browser?.close();
    serve?.kill('SIGTERM');
    await serve?.ended;
    await rm(dir, { recursive: true });
  });

  /** Opens a page, calls `visit`, and fails if the browser complained or asked another host. */
  async function visitPage(path: string, screen: (typeof SCREENS)[number], visit: (page: Page) => Promise<void>) {
    complaints = [];
    const context = await browser.newContext(screen);
    const page = await context.newPage();
    page.on('console', (message) => message.type() !== 'log' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => request.url().startsWith(serve.baseUrl) || complaints.push(request.url()));
    await page.goto(serve.baseUrl + path);
    await visit(page);
    await context.close();
    assert.deepEqual(complaints, [], path);
  }

  for (const path of PAGES) {
    it(`${path}: no complaint, no serious finding of axe, no sideways scrolling`, async () => {
      for (const screen of SCREENS) {
        await visitPage(path, screen, async (page) => {
          // Evaluated by the debugger: the policy of the page forbids an injected script.
          await page.evaluate(axe.source);
          const found = await page.evaluate<string[]>(
            `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ impact, id, nodes }) => impact + ' ' + id + ': ' + nodes[0].html))`,
          );
          assert.deepEqual(
            found.filter((one) => /^(?:serious|critical)/.test(one)),
            [],
            path,
          );
          assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, path);
        });
      }
    });
  }

  it('search: an error code → its entry, by keyboard alone', async () => {
    await visitPage('/docs', SCREENS[0], async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('OUTSIDE_24H_WINDOW');
      await page.locator('#results [aria-selected="true"]', { hasText: 'OUTSIDE_24H_WINDOW' }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL('**/docs/errors#OUTSIDE_24H_WINDOW');
      await page.locator('#OUTSIDE_24H_WINDOW').waitFor();
    });
  });

  for (const [words, title] of [
    ['rotate secret', 'Give a webhook endpoint a new secret'],
    ['message.delivered', 'message.delivered'],
    ['idempotency', 'Idempotency'],
  ] as const) {
    it(`search: "${words}" → finds "${title}"`, async () => {
      await visitPage('/docs/guide', SCREENS[1], async (page) => {
        await page.locator('#search').fill(words);
        await page.locator('#results li', { hasText: title }).first().waitFor();
      });
    });
  }

  it('try it: sends a message of the demo, and reads its status', async () => {
    await visitPage('/docs/api/messages', SCREENS[0], async (page) => {
      const openForm = async (operation: string) => {
        const section = page.locator(`section:has(> #${operation})`);
        await section.locator('.try summary').click();
        return section.locator('form');
      };
      const send = await openForm('sendMessage');
      await send.locator('[data-credential]').fill(demo.apiKey);
      await send.locator('[data-path="phoneNumberId"]').fill(demo.phoneNumberId);
      await send.locator('[data-query="sync"]').selectOption('true');
      await send
        .locator('[data-body]')
        .fill('{"to": "+12025550123", "type": "text", "text": {"body": "From the reference"}}');
      await send.locator('.send').click();
      await send.locator('output p', { hasText: /^200 / }).waitFor();
      const answer = JSON.parse((await send.locator('output pre').textContent()) ?? '');
      assert.equal(answer.messages[0].message_status, 'sent');

      const get = await openForm('getMessage');
      assert.equal(await get.locator('[data-credential]').inputValue(), demo.apiKey, 'the key is typed once');
      await get.locator('[data-path="id"]').fill(answer.messages[0].id);
      await get.locator('.send').click();
      await get.locator('output p', { hasText: /^200 / }).waitFor();
      const message = JSON.parse((await get.locator('output pre').textContent()) ?? '');
      assert.deepEqual(message.content.text, { body: 'From the reference' });
    });
  });

  it('examples: curl and TypeScript send a message as shown, Python and PHP are well-formed', async () => {
    const markdown = await (await fetch(`${serve.baseUrl}/docs/api/messages.md`)).text();
    const [, section = ''] = /^## Send a message$([\s\S]*?)^## /m.exec(markdown) ?? [];
    const sampleIn = (language: string) => {
      const [, code = ''] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(section) ?? [];
      assert.notEqual(code, '', language);
      return code.replace('{phoneNumberId}', demo.phoneNumberId).replace('+15551230001', '+12025550123');
    };
    const env = { PATH: process.env.PATH, FAIRWAY_URL: serve.baseUrl, FAIRWAY_KEY: demo.apiKey };
    const file = join(dir, 'sample.mts');
    await writeFile(file, sampleIn('ts'));
    assert.match((await run(process.execPath, [file], { env })).stdout, /^202 .*"queued"/);
    if (await isInstalled('curl')) {
      const { stdout } = await run('sh', ['-c', sampleIn('sh')], { env });
      assert.match(stdout, /"messages":\[\{"id"/);
    }
    await writeFile(join(dir, 'sample.py'), sampleIn('python'));
    if (await isInstalled('python3')) await run('python3', ['-m', 'py_compile', join(dir, 'sample.py')]);
    await writeFile(join(dir, 'sample.php'), sampleIn('php'));
    if (await isInstalled('php')) await run('php', ['-l', join(dir, 'sample.php')]);
  });

  it('examples: those in TypeScript of every operation compile under the strict settings', async () => {
    const index = await (await fetch(`${serve.baseUrl}/llms.txt`)).text();
    const pages = [...new Set(index.match(/\/docs\/api\/[\w-]+\.md/g))];
    assert.ok(pages.length > 10, index);
    const samples = join(dir, 'samples');
    await mkdir(samples);
    let count = 0;
    for (const page of pages) {
      const text = await (await fetch(serve.baseUrl + page)).text();
      for (const [, code = ''] of text.matchAll(/```ts\n([\s\S]*?)```/g)) {
        count += 1;
        await writeFile(join(samples, `sample-${count}.mts`), code);
      }
    }
    assert.ok(count > 80, String(count));
    const compilerOptions = {
      ...{ target: 'esnext', lib: ['esnext'], module: 'nodenext', strict: true, noEmit: true },
      ...{ moduleDetection: 'force', types: ['node'], typeRoots: [join(MODULES, '@types')] },
    };
    await writeFile(join(samples, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
    await run(join(MODULES, '.bin/tsc'), ['-p', samples]).catch(({ stdout }) => assert.fail(stdout));
  });
});

function isInstalled(command: string): Promise<boolean> {
  return run(command, ['--version']).then(
    () => true,
    () => false,
  );
}
