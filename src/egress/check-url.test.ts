import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { createEgress } from './create-egress.ts';

test('check URL: URL to be stored → normalised and judged without a DNS look-up', async () => {
  await using egress = createEgress({
    allowCidrs: [],
    resolveHost: () => Promise.reject(new Error('looked up')),
  });
  const cases: [string, string][] = [
    ['https://Example.COM/a b', 'syntax'],
    ['https://Example.COM:443/a?b#c', 'https://example.com/a?b#c'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://example.com:8443', 'https://example.com:8443/'],
    ['http://example.com/', 'scheme'],
    ['ftp://example.com/', 'scheme'],
    ['https://user@example.com/', 'userinfo'],
    ['https://example.com:22/', 'port'],
    ['https://localhost/', 'host'],
    ['https://intranet-of-ours/', 'host'],
    ['https://printer.local/', 'host'],
    [`https://${'a'.repeat(63)}.example/`, `https://${'a'.repeat(63)}.example/`],
    [`https://${'a'.repeat(64)}.example/`, 'host'],
    [`https://${'a.'.repeat(123)}example/`, `https://${'a.'.repeat(123)}example/`],
    [`https://${'a.'.repeat(123)}examples/`, 'host'],
    ['https://a!b.example.com/', 'host'],
    ['https://example.com./', 'host'],
    ['https://a_b.example.com/', 'https://a_b.example.com/'],
    ['https://127.0.0.1/', 'address'],
    ['https://[::ffff:7f00:1]/', 'address'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    [`https://example.com/${'a'.repeat(8172)}`, `https://example.com/${'a'.repeat(8172)}`],
    [`https://example.com/${'a'.repeat(8173)}`, 'syntax'],
    ['https:example.com/', 'syntax'],
    ['nonsense', 'syntax'],
  ];
  for (const [url, expected] of cases) {
    const verdict = egress.checkUrl(url, { httpsOnly: true });
    assert.equal(verdict.kind === 'ok' ? verdict.url : verdict.reason, expected, url);
  }
  assert.equal(egress.checkUrl('http://example.com/', { httpsOnly: false }).kind, 'ok');
});

test('check URL: allow-list → private names, ports and plain http judged when connecting', async () => {
  await using egress = createEgress({ allowCidrs: ['10.0.0.0/8'] });
  for (const url of ['http://hooks.example/', 'http://receiver:5000/', 'https://a.internal/', 'http://10.0.0.1:9/']) {
    assert.equal(egress.checkUrl(url, { httpsOnly: true }).kind, 'ok', url);
  }
  for (const url of ['http://8.8.8.8/', 'https://8.8.8.8:9/', 'http://127.0.0.1/', 'http://user@receiver/']) {
    assert.equal(egress.checkUrl(url, { httpsOnly: true }).kind, 'refused', url);
  }
});

test('check URL: URL with or without a port → dialled at its own port or its scheme’s', async () => {
  const ports: number[] = [];
  await using egress = createEgress({
    allowCidrs: ['10.0.0.0/8'],
    resolveHost: async () => ['10.0.0.1'],
    dial: ({ port }) => {
      ports.push(port);
      return connect({ host: '127.0.0.1', port: 1 });
    },
  });
  const options = { party: 'one', headers: {}, body: '', timeoutMs: 1_000, responseBytesMax: 1 };
  for (const url of ['https://a.test/', 'http://a.test/', 'https://a.test:8443/']) {
    assert.equal((await egress.postWebhook(url, options)).kind, 'failed');
  }
  assert.deepEqual(ports, [443, 80, 8443]);
});
