import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EVENT_TYPES } from '../../../src/events/index.ts';
import { ERROR_CATALOGUE } from '../../../src/http/index.ts';
import { useGateway } from '../../harness/fixtures.ts';
import { useDocument } from '../../support/openapi-document.ts';

/** Matches anything that the policy would have to allow by name: inline scripts and styles, and handlers in attributes. */
const INLINE = /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:/i;

describe('the reference at /docs', () => {
  const gateway = useGateway();
  const read = useDocument(gateway);
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${gateway.baseUrl}${path}`, { headers });
  const textOf = async (path: string) => {
    const response = await get(path);
    assert.equal(response.status, 200, path);
    return response.text();
  };
  /** Returns the paths of all pages, as the index for language models lists them. */
  const listPages = async () =>
    [...(await textOf('/llms.txt')).matchAll(/\((\/docs\/[^)]+)\.md\)/g)].map(([, path = '']) => path);

  it('pages: strict policy, nothing inline, no link without a target', async () => {
    const pages = await listPages();
    assert.ok(pages.length >= 15, pages.join());
    const anchors = new Map<string, Set<string>>();
    const links: { from: string; to: string }[] = [];
    for (const path of ['/docs', ...pages]) {
      const response = await get(path);
      const policy = response.headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
      assert.doesNotMatch(policy, /unsafe|\*|https?:/);
      const html = await response.text();
      assert.doesNotMatch(html, INLINE, path);
      const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);
      assert.equal(new Set(ids).size, ids.length, `${path} has an anchor twice`);
      anchors.set(path, new Set(ids));
      links.push(...[...html.matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, to = '']) => ({ from: path, to })));
    }
    for (const { from, to } of links) {
      if (/^https:/.test(to)) continue;
      const { pathname, hash, search } = new URL(to, `http://gateway${from}`);
      const known = anchors.get(pathname);
      if (known === undefined) assert.equal((await get(pathname + search)).status, 200, `${from} → ${to}`);
      else if (hash !== '') assert.ok(known.has(decodeURIComponent(hash.slice(1))), `${from} → ${to}`);
    }
  });

  it('pages: each has a Markdown twin with the same headings', async () => {
    for (const path of await listPages()) {
      const response = await get(`${path}.md`);
      assert.equal(response.headers.get('content-type'), 'text/markdown; charset=utf-8');
      const markdown = await response.text();
      const html = await textOf(path);
      for (const [, title = ''] of markdown.replace(/```[\s\S]*?```/g, '').matchAll(/^## (.+)$/gm)) {
        assert.ok(html.includes(title.replaceAll("'", '&#39;')), `${path}: ${title}`);
      }
    }
  });

  it('errors: every code has a meaning, a next step and an anchor', async () => {
    const html = await textOf('/docs/errors');
    for (const [code, { meaning, advice }] of Object.entries(ERROR_CATALOGUE)) {
      assert.ok(html.includes(`<h2 id="${code}">`), code);
      for (const text of [meaning, advice]) assert.match(text, /^\S.{10,}[.]$/s, code);
    }
  });

  it('operations and events: each has an entry', async () => {
    const pages = await Promise.all((await listPages()).map(textOf));
    const all = pages.join('');
    for (const { described } of read.operations)
      assert.ok(all.includes(`<h2 id="${described.operationId}">`), described.operationId);
    for (const type of EVENT_TYPES) assert.ok(all.includes(`<h2 id="${type}">`), type);
  });

  it('a page whose ETag the client has → 304 without a body; another ETag → 200', async () => {
    const first = await get('/docs/guide');
    const etag = first.headers.get('etag') ?? '';
    assert.equal(first.headers.get('cache-control'), 'public, no-cache');
    const again = await get('/docs/guide', { 'if-none-match': etag });
    assert.deepEqual([again.status, await again.text()], [304, '']);
    assert.equal((await get('/docs/guide', { 'if-none-match': 'W/"other"' })).status, 200);
  });

  it('an asset by its versioned address → may be cached for ever', async () => {
    const [address = ''] = /\/docs\/assets\/style\.css\?v=[\w-]+/.exec(await textOf('/docs')) ?? [];
    const response = await get(address);
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(response.headers.get('content-type'), 'text/css; charset=utf-8');
    assert.equal((await get('/docs/assets/style.css')).headers.get('cache-control'), 'public, no-cache');
  });

  it('a client that takes gzip → the same text in fewer bytes', async () => {
    const plain = await get('/docs/guide', { 'accept-encoding': 'identity' });
    const compressed = await get('/docs/guide', { 'accept-encoding': 'gzip' });
    assert.deepEqual(
      [plain.headers.get('content-encoding'), compressed.headers.get('content-encoding')],
      [null, 'gzip'],
    );
    assert.equal(await compressed.text(), await plain.text());
    const [more, fewer] = [plain, compressed].map(({ headers }) => Number(headers.get('content-length')));
    assert.ok((fewer ?? 0) < (more ?? 0) / 2);
  });

  it('a page that does not exist → 404, and its doc_url leads to the code', async () => {
    const response = await get('/docs/nothing-here');
    const body = (await response.json()) as { code: string; doc_url: string };
    assert.deepEqual([response.status, body.code, body.doc_url], [404, 'NOT_FOUND', '/docs/errors#NOT_FOUND']);
    for (const path of ['/docs/__proto__', '/docs/assets/..%2Froutes.ts', '/docs/api/constructor']) {
      assert.equal((await get(path)).status, 404, path);
    }
  });
});

describe('the reference behind a proxy that serves the gateway below a path', () => {
  const gateway = useGateway({ publicUrl: 'https://messaging.example.com/fairway' });

  it('doc_url: begins with the public address; links: begin with its path', async () => {
    const { doc_url } = (await (await fetch(`${gateway.baseUrl}/v1/messages`)).json()) as { doc_url: string };
    assert.equal(doc_url, 'https://messaging.example.com/fairway/docs/errors#UNAUTHORIZED');
    const html = await (await fetch(`${gateway.baseUrl}/docs`)).text();
    const addresses = [...html.matchAll(/\s(?:href|src|data-index)="([^"#]+)"/g)].map(([, address = '']) => address);
    assert.deepEqual(
      addresses.filter((address) => !address.startsWith('/fairway/')),
      [],
    );
  });
});

describe('the reference, turned off', () => {
  const gateway = useGateway({ docs: false });

  it('its pages → 404, and errors have no doc_url', async () => {
    for (const path of ['/docs', '/docs/guide', '/llms.txt']) {
      const response = await fetch(`${gateway.baseUrl}${path}`);
      assert.equal(response.status, 404, path);
      assert.equal('doc_url' in ((await response.json()) as object), false);
    }
  });
});
