import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { EDGES } from '../../../src/edges/table/edge-table.ts';
import { fill, useGateway } from '../../harness/fixtures.ts';
import type { Gateway } from '../../harness/gateway.ts';
import { encodeMultipart } from '../../harness/multipart.ts';
import { type RecordingProxy, startRecordingProxy } from '../../harness/recording-proxy.ts';
import {
  askAdmin,
  call,
  createTenant,
  freshRecipient,
  send,
  sendTemplate,
  type Tenant,
  templateTo,
  textTo,
  untilStatus,
} from '../../harness/tenant.ts';
import { createTestTenant } from '../../harness/test-tenant.ts';
import { examplesOf, useDocument } from '../../support/openapi-document.ts';

/** A person who answers at once, so that the window opens. */
const ANSWERS = '+15550109100';
/** Operations that wait for events, or end what the others need. */
const LEFT_OUT = new Set(['listEvents', 'deregisterNumber', 'erasePerson']);
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('test organization × every operation', () => {
  // Started before the gateway, which gets its address.
  const proxy: RecordingProxy = fill(() => startRecordingProxy(() => gateway.simulator.port));
  const gateway: Gateway = useGateway({
    settings: (usual) => ({ upstream: { ...usual.upstream, baseUrl: `http://127.0.0.1:${proxy.port}/v24.0` } }),
  });
  after(() => proxy.close());
  const read = useDocument(gateway);
  const tested = fill(() => createTestTenant(gateway));
  let live: Tenant;

  /** Ids of things that the test organization makes on its way, by kind. */
  const made: Record<string, string> = {};
  const ask = (method: string, path: string, body?: unknown) =>
    call(gateway, tested, method, path, body === undefined ? {} : { body });

  it('sends, files, templates and every edge: all answered, no connection to the platform', async () => {
    const { phoneNumberId, wabaId } = tested;
    await untilStatus(gateway, tested, await sendTemplate(gateway, tested, ANSWERS, 'hello_world'), 'read');
    const form = encodeMultipart([
      { name: 'messaging_product', value: 'whatsapp' },
      { name: 'file', value: PNG, fileName: 'dot.png', contentType: 'image/png' },
    ]);
    const uploaded = await call(gateway, tested, 'POST', `/v1/${phoneNumberId}/media`, form);
    assert.equal(uploaded.status, 200, uploaded.text);
    made.media = uploaded.json.id;
    const loaded = await ask('GET', `/v1/media/${made.media}/download`);
    assert.equal(loaded.status, 200, loaded.text);
    const components = [{ type: 'BODY', text: 'Thank you.' }];
    const template = { name: 'thanks', language: 'en_US', category: 'UTILITY', components };
    const created = await ask('POST', `/v1/${wabaId}/message_templates`, template);
    assert.equal(created.status, 200, created.text);
    made.template = created.json.id;
    made.flow = (await ask('POST', `/v1/${wabaId}/flows`, { name: 'survey' })).json.id;
    await ask('POST', `/v1/${phoneNumberId}/groups`, { subject: 'Guests' });
    made.group = (await ask('GET', `/v1/${phoneNumberId}/groups`)).json.data.groups[0].id;
    made.signup = (await ask('POST', `/v1/${wabaId}/signups`, { name: 'news' })).json.id;
    made.code = (await ask('POST', `/v1/${phoneNumberId}/message_qrdls`, { prefilled_message: 'Hi' })).json.code;
    made.history = '1';
    Object.assign(made, { number: phoneNumberId, account: wabaId });
    const answers = new Map<string, number>();
    // Deletions last: the calls before need the objects.
    for (const edge of EDGES.toSorted(
      (one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'),
    )) {
      if (LEFT_OUT.has(edge.name)) continue;
      const rest = edge.path === '' ? '' : `/${edge.path.replace(':code', made.code ?? '')}`;
      const { status } = await ask(edge.method, `/v1/${made[edge.of]}${rest}`, edge.example.body);
      answers.set(`${edge.method} ${edge.of} ${edge.path}`, status);
    }
    const passed = [...answers].filter(([, status]) => status < 300);
    assert.ok(passed.length > EDGES.length / 2, `${passed.length} of ${EDGES.length} edges answered 2xx`);
    assert.equal(proxy.connections(), 0);
  });

  it('every documented operation with a key, with its examples: no connection to the platform', async () => {
    const operations = read.operations.filter(
      ({ described }) => Object.keys((described.security ?? read.document.security)[0] ?? {})[0] === 'apiKey',
    );
    assert.ok(operations.length > 60);
    for (const { name, path, described } of operations) {
      if (LEFT_OUT.has(described.operationId)) continue;
      const [method = ''] = name.split(' ');
      const url = path.replaceAll(/\{(\w+)\}/g, (_whole, parameter: string) =>
        parameter === 'waba_id'
          ? tested.wabaId
          : parameter.startsWith('media')
            ? (made.media ?? '')
            : tested.phoneNumberId,
      );
      const json = described.requestBody?.content?.['application/json'];
      const { status, text } = await ask(method, url, json && examplesOf(json)[0]);
      assert.ok(status < 500 || status === 503, `${name}: ${status} ${text}`);
    }
    assert.equal(proxy.connections(), 0);
  });

  it('operations of operators on its account: no connection to the platform', async () => {
    const { wabaId, phoneNumberId, organizationId } = tested;
    for (const [method, path, body, expected] of [
      ['POST', `/wabas/${wabaId}/sync`, undefined, 200],
      ['PATCH', `/wabas/${wabaId}`, { marketing_messages: 'on' }, 200],
      ['PATCH', `/numbers/${phoneNumberId}`, { messages_per_second: 20 }, 200],
      ['GET', `/doctor?waba_id=${wabaId}`, undefined, 200],
      ['DELETE', `/wabas/${wabaId}`, undefined, 204],
      ['POST', `/organizations/${organizationId}/wabas`, { waba_id: wabaId, access_token: `simulator:${wabaId}` }, 201],
    ] as const) {
      const connected = proxy.connections();
      const { status, text } = await askAdmin(gateway, method, path, body);
      assert.equal(status, expected, `${method} ${path}: ${text}`);
      // The doctor asks the platform about the app itself, with the app's own credentials.
      if (!path.startsWith('/doctor')) assert.equal(proxy.connections(), connected, `${method} ${path}`);
    }
    await untilStatus(gateway, tested, await sendTemplate(gateway, tested, freshRecipient(), 'spring_sale'), 'read');
    assert.ok(!proxy.sent().includes(wabaId) && !proxy.sent().includes(phoneNumberId));
  });

  it('a live organization beside it: reaches the platform, which sees nothing of the other', async () => {
    live = await createTenant(gateway);
    const to = freshRecipient();
    const id = await sendTemplate(gateway, live, to);
    await untilStatus(gateway, live, id, 'read');
    await untilStatus(gateway, tested, await sendTemplate(gateway, tested, ANSWERS, 'hello_world'), 'read');
    assert.deepEqual(
      gateway.simulator.world.sends.list({}).map((sent) => sent.to),
      [to],
    );
    const bytes = proxy.sent();
    assert.ok(bytes.includes(live.wabaId));
    for (const secret of [tested.wabaId, tested.phoneNumberId, 'simulator:'])
      assert.ok(!bytes.includes(secret), secret);
  });

  it('each one with the ids of the other: not found, no message anywhere', async () => {
    for (const [own, other] of [
      [tested, live],
      [live, tested],
    ] as const) {
      const answer = await call(gateway, own, 'POST', `/v1/${other.phoneNumberId}/messages`, {
        body: templateTo(freshRecipient(), 'spring_sale'),
      });
      assert.equal(answer.json.code, 'ACCOUNT_NOT_FOUND', answer.text);
      assert.equal((await call(gateway, own, 'GET', `/v1/${other.wabaId}/phone_numbers`)).status, 404);
    }
    assert.equal((await send(gateway, tested, textTo(freshRecipient()))).json.code, 'OUTSIDE_24H_WINDOW');
  });
});
