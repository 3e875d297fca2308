import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { assertError } from '../harness/assert-error.ts';
import { useGateway } from '../harness/fixtures.ts';
import { call } from '../harness/tenant.ts';

describe('the built pages of the console', () => {
  const dir = mkdtempSync(join(tmpdir(), 'fairway-console-'));
  mkdirSync(join(dir, 'assets'));
  writeFileSync(
    join(dir, 'index.html'),
    '<!doctype html><meta name="nonce" content="__CSP_NONCE__"><script src="./assets/app-4f1c.js"></script>',
  );
  writeFileSync(join(dir, 'assets/app-4f1c.js'), 'console.log(1);'.repeat(100));
  writeFileSync(join(dir, 'icon.svg'), '<svg/>');
  after(() => rmSync(dir, { recursive: true }));
  const gateway = useGateway({ settings: () => ({ consoleDir: dir }) });
  const get = (path: string) => call(gateway, undefined, 'GET', path);

  it('every address of the pages: the page with a fresh nonce under a strict policy', async () => {
    const nonces = new Set<string>();
    for (const path of ['/console', '/console/', '/console/messages/0199c0de', '/console/index.html']) {
      const { status, headers, text } = await get(path);
      assert.equal(status, 200, path);
      const nonce = /content="([^"]+)"/.exec(text)?.[1] ?? '';
      nonces.add(nonce);
      const policy = headers.get('content-security-policy') ?? '';
      assert.ok(policy.includes(`style-src 'self' 'nonce-${nonce}'`), policy);
      assert.match(policy, /^default-src 'none'; script-src 'self';/);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
      assert.equal(headers.get('cache-control'), 'no-store');
    }
    assert.equal(nonces.size, 4);
  });

  it('links to files: relative to the address, for a proxy with a path of its own', async () => {
    for (const path of ['/console', '/console/', '/console/now', '/console/messages/0199?org=a/b']) {
      const link = /src="([^"]+)"/.exec((await get(path)).text)?.[1] ?? '';
      const address = new URL(link, `https://example.com/below${path}`);
      assert.equal(address.pathname, '/below/console/assets/app-4f1c.js', path);
    }
  });

  it('files: hashed ones immutable and compressed, others revalidated, unknown ones 404', async () => {
    const script = await get('/console/assets/app-4f1c.js');
    assert.equal(script.text, 'console.log(1);'.repeat(100));
    assert.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(script.headers.get('content-encoding'), 'gzip');
    assert.match(script.headers.get('content-type') ?? '', /^text\/javascript/);
    const icon = await get('/console/icon.svg');
    assert.equal(icon.headers.get('cache-control'), 'public, no-cache');
    for (const path of [
      '/console/assets/none.js',
      '/console/..%2f..%2fpackage.json',
      '/consolex',
      '/console/%2e%2e/package.json',
    ]) {
      assertError(await get(path), 404, 'NOT_FOUND');
    }
  });
});

describe('the console without a build', () => {
  const gateway = useGateway({ settings: () => ({ consoleDir: join(tmpdir(), 'fairway-no-console') }) });

  it('the page: says how to build it', async () => {
    const { status, text, headers } = await call(gateway, undefined, 'GET', '/console');
    assert.equal(status, 503);
    assert.match(text, /npm ci/);
    assert.match(headers.get('content-type') ?? '', /^text\/html/);
  });
});
