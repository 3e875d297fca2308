// Takes a picture of every page in light, dark and phone width: node test/console/screenshots.ts [folder [part of a page's name [screen]]]
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../harness/gateway.ts';
import { CONSOLE_OPTIONS, startConsoleReceiver } from './console-gateway.ts';
import { fillConsole } from './console-world.ts';
import { DARK, DESKTOP, launchBrowser, openConsole, PHONE, type Screen, seriousFindings } from './open-console.ts';
import { pagesOf } from './pages-of.ts';

const SCREENS: Record<string, Screen> = {
  light: DESKTOP,
  dark: DARK,
  phone: PHONE,
  // Cut off at the height of the window, for the README.
  readme: { colorScheme: 'light', viewport: { width: 1200, height: 760 } },
};

async function takeScreenshots(dir: string, only: string, screens: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  const gateway = await startGateway(CONSOLE_OPTIONS);
  await using receiver = await startConsoleReceiver();
  const browser = await launchBrowser();
  try {
    const world = await fillConsole(gateway, receiver.url);
    for (const [name, screen] of Object.entries(SCREENS).filter(([name]) => name.includes(screens))) {
      const signIn = await openConsole(browser, gateway, undefined, screen);
      await signIn.open('/');
      await signIn.page.screenshot({ path: join(dir, `sign-in-${name}.png`) });
      const window = await openConsole(browser, gateway, gateway.adminToken, screen);
      for (const [page, path] of Object.entries(pagesOf(world))) {
        if (!page.includes(only)) continue;
        await window.open(path);
        await window.page.waitForTimeout(700);
        await window.page.screenshot({ path: join(dir, `${page}-${name}.png`), fullPage: name !== 'readme' });
        const wide = await window.page.evaluate('document.documentElement.scrollWidth > innerWidth');
        const found = await seriousFindings(window.page);
        for (const line of [...found, ...(wide ? ['scrolls sideways'] : []), ...window.complaints.splice(0)]) {
          console.log(`${page} ${name}: ${line}`);
        }
      }
      await window.context.close();
      await signIn.context.close();
    }
  } finally {
    await browser.close();
    await gateway.stop();
  }
  console.log(`pictures in ${dir}`);
}

if (import.meta.main) {
  const [dir = await mkdtemp(join(tmpdir(), 'fairway-console-')), only = '', screens = ''] = process.argv.slice(2);
  await takeScreenshots(dir, only, screens);
}
