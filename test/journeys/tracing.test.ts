import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startSimulator } from '../../src/simulator/index.ts';
import { startReceiver } from '../api/webhooks/receiver.ts';
import { createTestDatabase } from '../harness/database.ts';
import { UPSTREAM_APP } from '../harness/gateway.ts';
import { encodeMultipart } from '../harness/multipart.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { call, createTenant, freshRecipient, type Served, type Tenant, templateTo, until } from '../harness/tenant.ts';

const SDK = resolve(import.meta.dirname, '../support/tracing-sdk.ts');

/** A request as the platform receives it, with every header line. */
interface Got {
  path: string;
  body: string;
  headers: [name: string, value: string][];
}

interface Span {
  traceId: string;
  spanId: string;
  parentId?: string;
  name: string;
}

/** Starts a proxy between gateway and simulator that records and forwards each request. */
async function startRecorder(t: TestContext, target: string): Promise<{ url: string; got: Got[] }> {
  const got: Got[] = [];
  const server = createServer((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { rawHeaders: raw } = incoming;
      const headers = raw.flatMap((name, index): [string, string][] =>
        index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? '']] : [],
      );
      const body = Buffer.concat(chunks);
      got.push({ path: incoming.url ?? '', body: body.toString(), headers });
      const { method, url, headers: sent } = incoming;
      const onward = httpRequest(new URL(url ?? '/', target), { method, headers: sent }, (response) => {
        answer.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(answer);
      });
      onward.end(body);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

/** Starts a gateway in a separate process, with or without the SDK and the official instrumentations. */
async function startTraced(t: TestContext, { sdk }: { sdk: boolean }) {
  const { connectionString } = await createTestDatabase(t);
  const simulator = await startSimulator({ ...UPSTREAM_APP, statusLatencyMs: { sent: 5, delivered: 10, read: 15 } });
  t.after(() => simulator.close());
  const recorder = await startRecorder(t, simulator.origin);
  const dir = await mkdtemp(join(tmpdir(), 'fairway-tracing-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const traceFile = join(dir, 'spans');
  const served = await startServeProcess(join(dir, 'data'), {
    DATABASE_URL: connectionString,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: 'operator',
    PORT: '0',
    FETCH_ALLOW_CIDRS: '127.0.0.0/8',
    UPSTREAM_BASE_URL: `${recorder.url}/v24.0`,
    UPSTREAM_APP_ID: UPSTREAM_APP.appId,
    UPSTREAM_APP_SECRET: UPSTREAM_APP.appSecret,
    UPSTREAM_VERIFY_TOKEN: UPSTREAM_APP.verifyToken,
    TRACE_FILE: traceFile,
    ...(sdk && { NODE_OPTIONS: `--import ${SDK}` }),
  });
  t.after(async () => {
    served.kill('SIGKILL');
    await served.ended;
  });
  simulator.world.setWebhookUrl(`${served.baseUrl}/webhooks/upstream`);
  const gateway: Served = { baseUrl: served.baseUrl, adminToken: served.adminToken, simulator };
  const readSpans = async (): Promise<Span[]> => {
    const lines = (await readFile(traceFile, 'utf8')).trim().split('\n');
    return lines.map((line) => JSON.parse(line));
  };
  return { gateway, got: recorder.got, readSpans };
}

const traceId = () => randomBytes(16).toString('hex');
const traceOf = (header: string) => header.split('-')[1];
const valuesOf = ({ headers }: Got, name: string) =>
  headers.filter(([given]) => given === name).map(([, value]) => value);

/** Returns the headers of a caller with its own trace and `baggage`. */
function callerHeaders(tenant: Tenant, id: string): Record<string, string> {
  return { traceparent: `00-${id}-${'1'.repeat(16)}-01`, baggage: `tenant=${tenant.organizationId}` };
}

function uploadForm(tenant: Tenant) {
  return encodeMultipart([
    { name: 'phone_number', value: tenant.phoneNumber },
    { name: 'file', value: Buffer.from('Thank you'), fileName: 'a.txt', contentType: 'text/plain' },
  ]);
}

test('traced by an SDK: every request leaves in the trace of its own caller, without baggage', async (t) => {
  const { gateway, got, readSpans } = await startTraced(t, { sdk: true });
  const tenants = [await createTenant(gateway), await createTenant(gateway)];
  await using receiver = await startReceiver();
  for (const tenant of tenants) {
    const answer = await call(gateway, tenant, 'POST', '/v1/webhooks', { body: { url: receiver.url } });
    assert.equal(answer.status, 201, answer.text);
  }
  got.length = 0;
  const callerOf = new Map<string, string>();
  await Promise.all(
    Array.from({ length: 80 }, async (_, index) => {
      const tenant = tenants[index % 2]!;
      const id = traceId();
      const to = freshRecipient();
      callerOf.set(to, id);
      const answer = await call(gateway, tenant, 'POST', `/v1/${tenant.phoneNumberId}/messages`, {
        headers: callerHeaders(tenant, id),
        body: templateTo(to),
      });
      assert.equal(answer.status, 202, answer.text);
    }),
  );
  const others: [id: string, path: RegExp][] = [];
  for (const tenant of tenants) {
    for (const [method, path, body, sent] of [
      ['POST', '/v1/media/upload', uploadForm(tenant), /\/media$/],
      [
        'POST',
        `/v1/${tenant.wabaId}/templates`,
        {
          body: {
            name: `t_${traceId()}`,
            language: 'en',
            category: 'UTILITY',
            components: [{ type: 'BODY', text: 'Ready.' }],
          },
        },
        /\/message_templates$/,
      ],
      ['GET', `/v1/${'9'.repeat(15)}`, {}, /\/9{15}\?/],
    ] as const) {
      const id = traceId();
      const headers = { ...('headers' in body ? body.headers : {}), ...callerHeaders(tenant, id) };
      await call(gateway, tenant, method, path, { ...body, headers });
      others.push([id, sent]);
    }
  }
  await until('all statuses were delivered', () => receiver.received.length >= 80 * 4 || undefined, 60_000);
  const sends = got.filter(({ path }) => path.endsWith('/messages'));
  assert.equal(sends.length, 80);
  for (const send of sends) {
    const id = callerOf.get(JSON.parse(send.body).to);
    assert.deepEqual(valuesOf(send, 'traceparent').map(traceOf), [id]);
  }
  for (const [id, sent] of others) {
    const mine = got.filter(
      (one) => sent.test(one.path) && valuesOf(one, 'traceparent').some((header) => traceOf(header) === id),
    );
    assert.equal(mine.length, 1, `${sent}`);
  }
  for (const one of got) {
    assert.deepEqual(valuesOf(one, 'baggage'), [], one.path);
    assert.ok(valuesOf(one, 'traceparent').length <= 1, one.path);
  }
  for (const { headers } of receiver.received) {
    assert.equal(headers.baggage, undefined);
    assert.equal(headers.traceparent, undefined);
  }
  // A span is exported when it ends: the one of a request after its answer.
  const spans = await until('every span has its parent', async () => {
    const read = await readSpans();
    const ids = new Set(read.map(({ spanId }) => spanId));
    const own = read.filter(({ name }) => name === 'accept message' || name === 'send message');
    return own.length === 160 && own.every(({ parentId = '' }) => ids.has(parentId)) ? read : undefined;
  });
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const accepted = spans.filter(({ name }) => name === 'accept message');
  assert.equal(accepted.length, 80);
  for (const { parentId, traceId: id } of accepted) {
    const parent = byId.get(parentId ?? '');
    assert.deepEqual([parent?.name.split(' ')[0], parent?.traceId], ['POST', id]);
  }
  const sent = spans.filter(({ name }) => name === 'send message');
  assert.equal(sent.length, 80);
  for (const { parentId } of sent) assert.equal(byId.get(parentId ?? '')?.name, 'accept message');
});

test("without an SDK: a caller's trace context passes on, its baggage does not", async (t) => {
  const { gateway, got } = await startTraced(t, { sdk: false });
  const tenant = await createTenant(gateway);
  got.length = 0;
  const [sendId, uploadId] = [traceId(), traceId()];
  await call(gateway, tenant, 'POST', `/v1/${tenant.phoneNumberId}/messages?sync=true`, {
    headers: callerHeaders(tenant, sendId),
    body: templateTo(freshRecipient()),
  });
  const form = uploadForm(tenant);
  await call(gateway, tenant, 'POST', '/v1/media/upload', {
    ...form,
    headers: { ...form.headers, ...callerHeaders(tenant, uploadId) },
  });
  const seen = got.map((one) => [
    one.path.replace(/.*\//, ''),
    valuesOf(one, 'traceparent').map(traceOf),
    valuesOf(one, 'baggage'),
  ]);
  assert.deepEqual(seen, [
    ['messages', [sendId], []],
    ['media', [uploadId], []],
  ]);
});
