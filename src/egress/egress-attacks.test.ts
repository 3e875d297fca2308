import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  CLOSED_ADDRESSES,
  CLOSED_LITERAL_HOSTS,
  LOOPBACK_HOSTS,
  PRIVATE_NAMES,
} from '../../test/support/egress/attack-hosts.ts';
import {
  type Canary,
  createVirtualInternet,
  startCanary,
  type VirtualInternet,
} from '../../test/support/egress/virtual-internet.ts';
import { Spool } from '../spool/index.ts';
import { createEgress, type Egress, type EgressOptions } from './create-egress.ts';

const dir = mkdtempSync(join(tmpdir(), 'fairway-test-'));
after(() => rmSync(dir, { recursive: true }));
const spool = new Spool({ dir });

interface Scene extends AsyncDisposable {
  canary: Canary;
  internet: VirtualInternet;
  egress: Egress;
}

/** An egress with the canary's port open on public addresses, so that only the address check can stop an attack. */
async function openScene(options: Partial<EgressOptions> = {}): Promise<Scene> {
  const canary = await startCanary();
  const internet = createVirtualInternet();
  const egress = createEgress({
    allowCidrs: [],
    resolveHost: internet.resolveHost,
    dial: internet.dial,
    limits: { ports: [80, 443, 8443, canary.port] },
    ...options,
  });
  return {
    canary,
    internet,
    egress,
    async [Symbol.asyncDispose]() {
      await egress[Symbol.asyncDispose]();
      await internet[Symbol.asyncDispose]();
      await canary[Symbol.asyncDispose]();
    },
  };
}

type Reach = (egress: Egress, url: string) => Promise<string>;

const reachByFetch: Reach = async (egress, url) => {
  const outcome = await egress.fetchPublicFile(url, {
    spool,
    bytesMax: 1_000,
    acceptTypes: ['image/png'],
    totalTimeoutMs: 5_000,
    signal: new AbortController().signal,
  });
  if (outcome.kind === 'failed') return outcome.reason;
  await outcome.file[Symbol.asyncDispose]();
  return 'ok';
};

const reachByPost: Reach = async (egress, url) => {
  const request = { party: 'one', headers: {}, body: '{}', timeoutMs: 5_000, responseBytesMax: 1_000 };
  const outcome = await egress.postWebhook(url, request);
  return outcome.kind === 'failed' ? outcome.reason : 'ok';
};

for (const [name, reach] of Object.entries({ fetchPublicFile: reachByFetch, postWebhook: reachByPost })) {
  const scheme = name === 'postWebhook' ? 'https' : 'http';

  test(`${name}: literal address that is not public, in any spelling → never dialled`, async () => {
    await using scene = await openScene();
    assert.ok(CLOSED_LITERAL_HOSTS.length >= 300, `${CLOSED_LITERAL_HOSTS.length} cases`);
    for (const host of CLOSED_LITERAL_HOSTS) {
      for (const authority of [host, `${host}:${scene.canary.port}`]) {
        const reason = await reach(scene.egress, `${scheme}://${authority}/x`);
        assert.equal(reason, 'blocked', `${scheme}://${authority}`);
      }
    }
    assert.deepEqual(scene.internet.dialled, []);
    assert.equal(scene.canary.connections(), 0);
  });

  test(`${name}: name with any address that is not public → never dialled`, async () => {
    await using scene = await openScene();
    const { internet, canary } = scene;
    for (const [index, address] of CLOSED_ADDRESSES.entries()) {
      const answers = [[address], ['93.184.216.34', address], [address, '2606:2800:220:1::1'], [address, address]];
      for (const [kind, answer] of answers.entries()) {
        const host = `n${index}-${kind}.test`;
        internet.setAnswers(host, answer);
        assert.equal(await reach(scene.egress, `${scheme}://${host}:${canary.port}/`), 'blocked', answer.join());
      }
    }
    assert.deepEqual(internet.dialled, []);
    assert.equal(canary.connections(), 0);
  });

  test(`${name}: changing DNS answers → vets the same answer it connects to`, async () => {
    await using scene = await openScene();
    const { internet, canary } = scene;
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '0.0.0.0', '::']) {
      const url = `${scheme}://rebind.test:${canary.port}/`;
      internet.lookUps.clear();
      internet.dialled.length = 0;
      internet.setAnswers('rebind.test', ['93.184.216.34'], [address]);
      assert.equal(await reach(scene.egress, url), 'connect', address);
      assert.deepEqual(internet.dialled, ['93.184.216.34']);
      assert.equal(internet.lookUps.get('rebind.test'), 1, 'one look-up per connection');
      assert.equal(await reach(scene.egress, url), 'blocked', address);
    }
    assert.equal(canary.connections(), 0);
  });

  test(`${name}: name of a private network → refused without a look-up`, async () => {
    await using scene = await openScene();
    const { internet, canary } = scene;
    for (const host of PRIVATE_NAMES) {
      for (const spelled of [host, host.toLowerCase(), host.normalize('NFKC')])
        internet.setAnswers(spelled, ['127.0.0.1']);
      assert.equal(await reach(scene.egress, `${scheme}://${host}:${canary.port}/`), 'blocked', host);
    }
    assert.equal(internet.lookUps.size, 0);
    assert.equal(canary.connections(), 0);
  });

  test(`${name}: closed port, userinfo or no absolute http(s) URL → refused`, async () => {
    await using scene = await openScene();
    const { internet, canary } = scene;
    internet.setAnswers('public.test', ['93.184.216.34']);
    for (const port of [0, 1, 21, 22, 25, 79, 81, 3306, 5432, 6379, 8080, 9200, 11211, 65535]) {
      assert.equal(await reach(scene.egress, `${scheme}://public.test:${port}/`), 'blocked', `port ${port}`);
    }
    const at = `127.0.0.1:${canary.port}`;
    for (const url of [
      `${scheme}://user@${at}/`,
      `${scheme}://user:pass@public.test/`,
      `${scheme}://@${at}/`,
      `${scheme}://public.test@${at}/`,
      `${scheme}://public.test%40${at}/`,
      `${scheme}://public.test:80@${at}/`,
      `${scheme}://public.test\\@${at}/`,
      `${scheme}://public.test\t@${at}/`,
      `${scheme}:\\\\${at}\\`,
      `${scheme}:/${at}/`,
      `${scheme}:${at}/`,
      `${scheme}:///${at}/`,
      ` ${scheme}://${at}/`,
      `${scheme}://${at}/ x`,
      `${scheme}://${at}/\r\nhost: x`,
      `${scheme}://${at}/\u0000`,
      `//${at}/`,
      '/etc/passwd',
      'relative',
      '',
      'file:///etc/passwd',
      'ftp://public.test/',
      'gopher://127.0.0.1:6379/_INFO',
      'data:image/png;base64,AA==',
      'blob:https://public.test/1',
      'javascript:1',
      'unix:/var/run/docker.sock',
      `${scheme}://[fe80::1%25eth0]/`,
      `${scheme}://256.256.256.256/`,
      `${scheme}://1.2.3.4.5/`,
      `${scheme}://public.test/${'x'.repeat(8192)}`,
    ]) {
      assert.equal(await reach(scene.egress, url), 'invalid_url', JSON.stringify(url));
    }
    for (const host of ['a..test', '-', '*.test', `${'a'.repeat(64)}.test`, `${'a.'.repeat(127)}test`]) {
      assert.equal(await reach(scene.egress, `${scheme}://${host}/`), 'blocked', host);
    }
    assert.deepEqual(internet.dialled, []);
    assert.equal(canary.connections(), 0);
  });

  test(`${name}: connection answered from another address than the vetted one → nothing is sent`, async () => {
    const requests: string[] = [];
    await using scene = await openScene();
    const inside = createServer((socket) => {
      socket.on('data', (bytes) => requests.push(bytes.toString()));
      socket.on('error', () => {});
    });
    await scene.internet.addSite('inside.test', inside);
    const [insideAddress = ''] = await scene.internet.resolveHost('inside.test');
    await using egress = createEgress({
      allowCidrs: [],
      resolveHost: async () => ['93.184.216.34'],
      dial: (target) => {
        const socket = scene.internet.dial({ ...target, addresses: [insideAddress] });
        Object.defineProperty(socket, 'remoteAddress', { value: '10.0.0.7' });
        return socket;
      },
    });
    assert.equal(await reach(egress, `${scheme}://public.test/`), 'blocked');
    assert.deepEqual(requests, []);
  });

  test(`${name}: allow-listed address → reached by every spelling, name and port`, async () => {
    await using scene = await openScene({ allowCidrs: ['127.0.0.0/8'], limits: {} });
    const { internet, canary, egress } = scene;
    internet.setAnswers('localhost', ['::1', '127.0.0.1']);
    internet.setAnswers('receiver', ['127.0.0.1']);
    internet.setAnswers('lab.test', ['127.0.0.1']);
    const hosts = [...LOOPBACK_HOSTS, 'localhost', 'receiver', 'lab.test'];
    for (const host of hosts) assert.equal(await reach(egress, `http://${host}:${canary.port}/`), 'ok', host);
    assert.equal(canary.connections(), hosts.length);
  });

  test(`${name}: name that only the allow-list opens → allow-listed addresses only`, async () => {
    await using scene = await openScene({ allowCidrs: ['127.0.0.0/8'], limits: {} });
    const { internet, canary, egress } = scene;
    internet.setAnswers('receiver', ['93.184.216.34']);
    internet.setAnswers('mixed', ['127.0.0.1', '93.184.216.34']);
    internet.setAnswers('lab.test', ['93.184.216.34']);
    internet.setAnswers('other.test', ['10.0.0.1']);
    for (const url of ['http://receiver/', 'http://mixed/', 'http://lab.test:5000/', 'http://other.test/']) {
      assert.equal(await reach(egress, url), 'blocked', url);
    }
    assert.deepEqual(internet.dialled, []);
    assert.equal(canary.connections(), 0);
  });
}

test('fetchPublicFile: redirect → its target is vetted like the first URL', async () => {
  await using scene = await openScene();
  const { canary, internet, egress } = scene;
  let location = '';
  const redirector = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`));
  });
  await internet.addSite('redirector.test', redirector);
  internet.setAnswers('inside.test', ['127.0.0.1']);
  const hosts = [...CLOSED_LITERAL_HOSTS, ...PRIVATE_NAMES, 'inside.test', 'user@127.0.0.1'];
  // Header bytes above ASCII arrive as Latin-1, which no parser converts back into digits.
  for (const host of hosts.filter((each) => /^[!-~]+$/.test(each))) {
    for (const target of [`http://${host}:${canary.port}/`, `//${host}:${canary.port}/`, `https://${host}/`]) {
      location = target;
      const reason = await reachByFetch(egress, 'http://redirector.test/');
      assert.equal(reason, host.includes('@') ? 'invalid_url' : 'blocked', target);
    }
  }
  assert.equal(canary.connections(), 0);
});

test('postWebhook: plain http → allow-listed addresses only', async () => {
  await using scene = await openScene();
  scene.internet.setAnswers('public.test', ['93.184.216.34']);
  for (const url of ['http://public.test/', 'http://93.184.216.34/', 'http://[2606:2800:220:1::1]/']) {
    assert.equal(await reachByPost(scene.egress, url), 'invalid_url', url);
  }
  await using lab = createEgress({
    allowCidrs: ['10.0.0.0/8'],
    resolveHost: scene.internet.resolveHost,
    dial: scene.internet.dial,
  });
  assert.equal(await reachByPost(lab, 'http://public.test/'), 'blocked');
  assert.deepEqual(scene.internet.dialled, []);
});
