import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { useFileServer, useGateway } from '../../harness/fixtures.ts';
import { call, createTenant, type Tenant } from '../../harness/tenant.ts';
import { freshName, TEMPLATES } from './template-bodies.ts';

/** Spellings of loopback, private and otherwise blocked addresses, and names that lead there. */
const HOSTS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '0',
  '0.0.0.0',
  '127.255.255.254',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '１２７.0.0.1',
  '%31%32%37.0.0.1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001::1]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[100::1]',
  '[3fff::1]',
  '[5f00::1]',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'foo.localhost',
  'metadata.google.internal',
  'db.local',
  'router.lan',
  'host',
  'intranet.corp',
  '1.0.0.127.in-addr.arpa',
];
const SHAPES: ((host: string, port: number) => string)[] = [
  (host, port) => `http://${host}:${port}/x.jpg`,
  (host, port) => `https://${host}:${port}/x.jpg`,
  (host, port) => `HTTP://${host}:${port}/?u=https://example.com/x.jpg`,
  (host, port) => `http:${host}:${port}/x.jpg`,
  (host, port) => `http://example.com@${host}:${port}/x.jpg`,
  (host, port) => `http:\\\\${host}:${port}\\x.jpg`,
  (host, port) => `//${host}:${port}/x.jpg`,
];

describe('sample URLs that lead to forbidden addresses', () => {
  const canary = createServer((socket) => {
    reached += 1;
    socket.destroy();
  });
  let reached = 0;
  let port = 0;
  before(async () => {
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
    const address = canary.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  after(() => canary.close());
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.2/32'] });
  let tenant: Tenant;
  before(async () => {
    tenant = await createTenant(gateway);
  });
  const redirects = useFileServer('127.0.0.2');

  const createWith = (url: string, caller = tenant) => {
    const header = { type: 'HEADER', format: 'IMAGE', example: { header_handle: [url] } };
    const components = [header, { type: 'BODY', text: 'Here it is, as we promised.' }];
    const body = { ...TEMPLATES.positional, name: freshName(), components };
    return call(gateway, caller, 'POST', `/v1/${caller.wabaId}/templates`, { body });
  };

  it('300 of them never reach a canary, and the errors reveal nothing', async () => {
    const urls = HOSTS.flatMap((host) => SHAPES.map((shape) => shape(host, port)));
    assert.ok(urls.length > 300, String(urls.length));
    for (const url of urls) {
      // URLs that pass the static checks count towards the allowance per minute.
      let answer = await createWith(url);
      if (answer.status === 429) {
        tenant = await createTenant(gateway);
        answer = await createWith(url);
      }
      assert.equal(answer.status, 422, `${url}: ${answer.text}`);
      assert.equal(answer.json.code, 'PROVIDER_REJECTED', url);
      assert.match(
        answer.json.message,
        /^The sample media at components\[0\]\.example\.header_handle\[0\] could not be used: /,
      );
    }
    assert.equal(reached, 0);
  });

  it('one URL repeated as often as a body can hold: refused like a single one', async () => {
    const header = { type: 'HEADER', format: 'IMAGE', example: { header_handle: Array(170_000).fill('/x') } };
    const body = { ...TEMPLATES.positional, name: freshName(), components: [header] };
    const answer = await call(gateway, tenant, 'POST', `/v1/${tenant.wabaId}/templates`, { body });
    assert.equal(answer.status, 422, answer.text);
    assert.equal(answer.json.code, 'PROVIDER_REJECTED');
  });

  it('a redirect from an allowed address: does not reach it either', async () => {
    const caller = await createTenant(gateway);
    for (const [index, host] of HOSTS.slice(0, 30).entries()) {
      const url = redirects.serve(`/${index}`, {
        status: 302,
        headers: { location: encodeURI(`http://${host}:${port}/x.jpg`) },
      });
      const answer = await createWith(url, caller);
      assert.equal(answer.status, 422, `${host}: ${answer.text}`);
    }
    assert.equal(redirects.requests.length, 30);
    assert.equal(reached, 0);
  });
});
