import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../test/harness/manual-clock.ts';
import { templatePages } from '../../test/support/template-pages.ts';
import { reply, startPeer, token } from '../../test/support/upstream-peer.ts';

test('template: components and other fields keep their spelling', async (t) => {
  const components = '[ {"type":"BODY","text":"Caf\\u00e9 \\/ {{1}}","n":12345678901234567890} ]';
  const text = `{"data":[
    {"name":"promo","language":"en_US","status":"APPROVED","category":"MARKETING","id":"594425479261596",
     "parameter_format":"NAMED","components":${components},"quality_score":{"score":"GREEN","date":1.0},
     "rejected_reason":"NONE","message_send_ttl_seconds":1.50,"x\\u0041":{"deep" : [1E2]}},
    {"name":"broken"},
    {"name":"plain","language":"de","status":"PENDING","category":"UTILITY","id":7}
  ]}`;
  const { upstream } = await startPeer(t, (_request, response) => response.end(text));
  const [page] = await templatePages(upstream);
  assert.deepEqual(page, {
    kind: 'ok',
    value: [
      {
        id: '594425479261596',
        name: 'promo',
        language: 'en_US',
        category: 'MARKETING',
        status: 'APPROVED',
        parameterFormat: 'NAMED',
        rejectedReason: 'NONE',
        qualityScore: 'GREEN',
        components,
        otherFields:
          '{"quality_score":{"score":"GREEN","date":1.0},"message_send_ttl_seconds":1.50,"xA":{"deep" : [1E2]}}',
      },
      { id: null, name: null },
      {
        id: '7',
        name: 'plain',
        language: 'de',
        category: 'UTILITY',
        status: 'PENDING',
        parameterFormat: null,
        rejectedReason: null,
        qualityScore: null,
        components: '[]',
        otherFields: '{}',
      },
    ],
  });
});

test('search by name: similar names → dropped', async (t) => {
  const node = { language: 'en', category: 'UTILITY', status: 'APPROVED' };
  const { upstream, received } = await startPeer(t, (_request, response) => {
    reply(response, 200, {
      data: [
        { ...node, id: '1', name: 'promo_2' },
        { ...node, id: '2', name: 'promo' },
      ],
    });
  });
  const result = await upstream.findTemplatesByName('55', token, 'promo');
  assert.ok(result.kind === 'ok');
  assert.deepEqual(
    result.value.map(({ id }) => id),
    ['2'],
  );
  assert.equal(new URL(received[0]?.url ?? '', 'http://x').searchParams.get('name'), 'promo');
});

test('listing: template lacks a required field → still listed by id', async (t) => {
  const node = { id: '9', name: 'promo', language: 'en', category: 'UTILITY', status: 'APPROVED' };
  for (const [missing, id] of [
    ['name', '9'],
    ['language', '9'],
    ['category', '9'],
    ['status', '9'],
    ['id', null],
  ] as const) {
    const data = [{ ...node, [missing]: undefined }];
    const { upstream } = await startPeer(t, (_request, response) => reply(response, 200, { data }));
    assert.deepEqual(await templatePages(upstream), [{ kind: 'ok', value: [{ id, name: null }] }], missing);
    assert.equal((await upstream.findTemplatesByName('55', token, 'promo')).kind, 'unavailable', missing);
  }
});

test('template: read by its id', async (t) => {
  const node = { id: '9', name: 'a', language: 'en', category: 'UTILITY', status: 'PAUSED', components: [{ a: 1 }] };
  const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, node));
  const result = await upstream.getTemplate('9', token);
  assert.ok(result.kind === 'ok');
  assert.equal(result.value.status, 'PAUSED');
  assert.equal(result.value.components, '[{"a":1}]');
  assert.ok(received[0]?.url.startsWith('/v24.0/9?fields='));
});

test('created template: category comes from the platform, body sent byte for byte', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => {
    reply(response, 200, { id: '594425479261596', status: 'PENDING', category: 'MARKETING' });
  });
  const body = '{ "name":"a", "n":1.0 }';
  const value = { id: '594425479261596', status: 'PENDING', category: 'MARKETING' };
  assert.deepEqual(await upstream.createTemplate('55', token, body), { kind: 'ok', value });
  assert.equal(received[0]?.url, '/v24.0/55/message_templates');
  assert.equal(received[0]?.body.toString(), body);
});

test('templates: deleted by name, by name and id, and by ids', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, { success: true }));
  for (const selection of [{ name: 'a' }, { name: 'a', id: '1' }, { ids: ['1', '2'] }]) {
    assert.deepEqual(await upstream.deleteTemplates('55', token, selection), { kind: 'ok', value: true });
  }
  assert.deepEqual(
    received.map(({ method, url }) => [method, Object.fromEntries(new URL(url, 'http://x').searchParams)]),
    [
      ['DELETE', { name: 'a' }],
      ['DELETE', { name: 'a', hsm_id: '1' }],
      ['DELETE', { hsm_ids: '["1","2"]' }],
    ],
  );
});

test('lookup by name: times out after ten seconds, because a send waits for it', async (t) => {
  const clock = createManualClock();
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const { upstream } = await startPeer(t, () => resolve(), { clock });
  const found = upstream.findTemplatesByName('55', token, 'promo');
  await asked;
  clock.advance(10_000);
  assert.partialDeepStrictEqual(await found, { kind: 'unavailable', reason: 'timeout' });
});
