import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEgress } from './create-egress.ts';

test('a stored URL is normalised and judged without a look-up', async () => {
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
    ['https://example.com./', 'host'],
    ['https://a_b.example.com/', 'https://a_b.example.com/'],
    ['https://127.0.0.1/', 'address'],
    ['https://[::ffff:7f00:1]/', 'address'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['nonsense', 'syntax'],
  ];
  for (const [url, expected] of cases) {
    const verdict = egress.checkUrl(url, { httpsOnly: true });
    assert.equal(verdict.kind === 'ok' ? verdict.url : verdict.reason, expected, url);
  }
  assert.equal(egress.checkUrl('http://example.com/', { httpsOnly: false }).kind, 'ok');
});

test('with an allow-list, private names, ports and plain http are left to the check at connection time', async () => {
  await using egress = createEgress({ allowCidrs: ['10.0.0.0/8'] });
  for (const url of ['http://hooks.example/', 'http://receiver:5000/', 'https://a.internal/', 'http://10.0.0.1:9/']) {
    assert.equal(egress.checkUrl(url, { httpsOnly: true }).kind, 'ok', url);
  }
  for (const url of ['http://8.8.8.8/', 'https://8.8.8.8:9/', 'http://127.0.0.1/', 'http://user@receiver/']) {
    assert.equal(egress.checkUrl(url, { httpsOnly: true }).kind, 'refused', url);
  }
});
