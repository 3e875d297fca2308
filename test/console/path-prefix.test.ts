import assert from 'node:assert/strict';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { endBefore, fill } from '../harness/fixtures.ts';
import { launchBrowser, openConsole, skipWithoutBrowser } from './open-console.ts';
import { useConsole } from './use-console.ts';

const PREFIX = '/gateway/eu';

/** Starts a proxy on loopback that serves a gateway below `PREFIX`, and removes the prefix from each request. */
async function startPrefixProxy(baseUrl: string) {
  const { hostname, port } = new URL(baseUrl);
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (!path.startsWith(`${PREFIX}/`)) {
      response.writeHead(404).end('outside of the prefix');
      return;
    }
    const { method, headers } = request;
    const upstream = forward({ hostname, port, method, path: path.slice(PREFIX.length), headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PREFIX}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('the console below a path of a proxy', { skip: skipWithoutBrowser }, () => {
  const { gateway, world } = useConsole();
  const proxy = fill(() => startPrefixProxy(gateway.baseUrl));
  const opened = fill(async () => ({ browser: await launchBrowser() }));
  endBefore(gateway, async () => await proxy[Symbol.asyncDispose]());
  after(() => opened.browser?.close());

  it('a deep link: files, calls, links and a reload stay below the path', async () => {
    const served = { ...gateway, baseUrl: proxy.baseUrl, adminToken: gateway.adminToken };
    const window = await openConsole(opened.browser, served, world.tenant.apiKey);
    await window.open(`/messages/${world.failedId}`);
    const { page } = window;
    await page.getByText('The person cannot be reached').waitFor();
    const reference = page.getByRole('link', { name: 'Entry in the API reference' });
    assert.match((await reference.getAttribute('href')) ?? '', new RegExp(`^${PREFIX}/docs/errors`));
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    assert.equal(new URL(page.url()).pathname, `${PREFIX}/console/webhooks`);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    // The window fails at its end if the page asked for anything outside of the path.
    await window.close();
  });

  it('the address without a slash at its end: the sign-in appears', async () => {
    const window = await openConsole(opened.browser, { ...gateway, baseUrl: proxy.baseUrl }, undefined);
    await window.open('');
    await window.page.getByLabel('Operator token or API key').waitFor();
    await window.close();
  });
});
