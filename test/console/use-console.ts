import { after } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { endBefore, fill, useGateway } from '../harness/fixtures.ts';
import type { Gateway } from '../harness/gateway.ts';
import { CONSOLE_OPTIONS, startConsoleReceiver } from './console-gateway.ts';
import { type ConsoleWorld, fillConsole } from './console-world.ts';
import { DESKTOP, launchBrowser, openConsole, type Screen } from './open-console.ts';

export interface ConsoleSuite {
  gateway: Gateway;
  world: ConsoleWorld;
  /**
   * Opens a path below `/console`, signed in with a token or key, and runs `visit`. Fails if the browser complained or asked another
   * host.
   */
  visit(token: string | undefined, path: string, visit: (page: Page) => Promise<void>, screen?: Screen): Promise<void>;
}

/** Returns a gateway with two filled tenants and a browser, for the tests of the enclosing suite. */
export function useConsole(): ConsoleSuite {
  const gateway = useGateway(CONSOLE_OPTIONS);
  const receiver = fill(startConsoleReceiver);
  const world = fill(() => fillConsole(gateway, receiver.url));
  const opened = fill<{ browser?: Browser }>(async () => ({ browser: await launchBrowser() }));
  endBefore(gateway, async () => await receiver[Symbol.asyncDispose]());
  after(() => opened.browser?.close());
  return {
    gateway,
    world,
    async visit(token, path, visit, screen = DESKTOP) {
      if (opened.browser === undefined) throw new Error('The browser is not open.');
      const window = await openConsole(opened.browser, gateway, token, screen);
      await window.open(path);
      await visit(window.page);
      await window.close();
    },
  };
}
