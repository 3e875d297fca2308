import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import type { Gateway } from '../../harness/gateway.ts';
import { TEST_SEED } from '../../harness/seed.ts';
import { sendTemplate } from '../../harness/tenant.ts';

/** Count of requests; a long run finds more: FUZZ_REQUESTS=50000. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 3_000);
const AT_ONCE = 20;

// biome-ignore lint/suspicious/noExplicitAny: the file's shape has a test of its own
type Json = any;

/** One operation as the OpenAPI file describes it. */
interface Operation {
  method: string;
  path: string;
  queryNames: string[];
  examples: unknown[];
  contentTypes: string[];
}

interface FuzzedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer> | undefined;
}

const JUNK_IDS = [
  '',
  '0',
  '1',
  '-1',
  '00000000-0000-0000-0000-000000000000',
  '99999999999999999999999999',
  '%00',
  '%ff',
  '..%2f..',
  "'--",
  '{id}',
  'null',
  'undefined',
  '%F0%9F%92%A9',
  'NaN',
  '1e9',
  ' ',
  '%20',
  'a'.repeat(299),
  '__proto__',
  'constructor',
  'wamid.x',
  '0199C0DE-7A3B-7C1D-9E5F-2B8A4D6C1E30',
];
const JUNK_VALUES = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e',
  'x'.repeat(5_000),
  [],
  {},
  [[]],
  { a: { b: {} } },
  '+15551230001',
  '2026-13',
  'text',
  'template',
];

describe('random requests', () => {
  let ids: string[];
  let operations: Operation[];
  const gateway = useGateway({ simulator: { limits: 'off' } });
  const tenant = useTenant(gateway);
  const victim = useTenant(gateway);
  before(async () => {
    const messageId = await sendTemplate(gateway, tenant, '+15551230001');
    ids = [tenant, victim].flatMap((known) => [
      known.phoneNumberId,
      known.wabaId,
      known.accountId,
      known.organizationId,
      known.phoneNumber,
    ]);
    ids.push(messageId, ...JUNK_IDS);
    operations = await readOperations(gateway);
  });

  it('are answered below 500, in the error shape if refused, and the gateway goes on', async () => {
    const request = fc
      .constantFrom(...operations)
      .chain((operation) => requestArbitrary(operation, ids, tenant.apiKey, gateway.adminToken));
    const requests = fc.sample(request, { numRuns: REQUESTS });
    const problems: string[] = [];
    const statuses = new Map<number, number>();
    const next = requests.values();
    const worker = async () => {
      for (const fuzzed of next) {
        const { status, problem } = await judge(gateway, fuzzed);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (problem !== undefined) problems.push(problem);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    assert.deepEqual(
      problems.slice(0, 20),
      [],
      `${problems.length} of ${REQUESTS}; TEST_SEED=${TEST_SEED} makes the same requests`,
    );
    for (const status of [200, 202, 400, 401, 404]) {
      assert.ok((statuses.get(status) ?? 0) > 0, `no request was answered ${status}: the fuzzing misses its target`);
    }
    assert.equal((await fetch(`${gateway.baseUrl}/readyz`)).status, 200);
  });

  it('a NUL in any parameter of a query → answered below 500', async () => {
    const known: Record<string, string> = { phoneNumberId: tenant.phoneNumberId, wabaId: tenant.wabaId };
    known.org_id = tenant.organizationId;
    const problems: string[] = [];
    for (const { path, queryNames } of operations.filter(({ method }) => method === 'GET')) {
      const token = path.startsWith('/admin/') ? gateway.adminToken : tenant.apiKey;
      const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name) => known[name] ?? '1');
      for (const name of queryNames) {
        const headers = { authorization: `Bearer ${token}` };
        const fuzzed = { method: 'GET', path: `${filled}?${name}=1%00`, headers, body: undefined };
        problems.push(...[(await judge(gateway, fuzzed)).problem ?? []].flat());
      }
    }
    assert.deepEqual(problems, []);
  });
});

/** Makes a request and returns the problem of its answer, if any. */
async function judge(gateway: Gateway, { method, path, headers, body }: FuzzedRequest) {
  const response = await fetch(`${gateway.baseUrl}${path}`, { method, headers, ...(body !== undefined && { body }) });
  const { status } = response;
  const text = await response.text();
  const requestId = response.headers.get('x-request-id');
  const isShaped = () => {
    const { code, request_id, error } = JSON.parse(text);
    // The platform's own refusal of a call that is passed on.
    if (code === undefined && response.headers.has('x-fb-trace-id')) return Number.isInteger(error.code);
    return typeof code === 'string' && request_id === requestId && Number.isInteger(error.code);
  };
  const isRight = status < 500 && requestId !== null && (status < 400 || isShaped());
  if (isRight) return { status, problem: undefined };
  const shownBody = Buffer.from(body ?? [])
    .toString('latin1')
    .slice(0, 500);
  return { status, problem: `${method} ${path} ${shownBody} → ${status} ${text.slice(0, 300)}` };
}

async function readOperations(gateway: Gateway): Promise<Operation[]> {
  const document: Json = await (await fetch(`${gateway.baseUrl}/openapi.json`)).json();
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, { parameters = [], requestBody }]) => {
      const contents = Object.entries<Json>(requestBody?.content ?? {});
      return {
        method: method.toUpperCase(),
        path,
        // Long waits for events or for the upstream have their own tests; here they would only take time.
        queryNames: parameters
          .filter(
            (parameter: { in: string; name: string }) =>
              parameter.in === 'query' && !/^(sync|wait)/.test(parameter.name),
          )
          .map((parameter: { name: string }) => parameter.name),
        examples: contents.flatMap(([, media]) => examplesOf(media)),
        contentTypes: contents.map(([type]) => type),
      };
    }),
  );
}

function examplesOf(media: Json): unknown[] {
  const { schema = {} } = media;
  const nested = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((option) => examplesOf({ schema: option }));
  const named = Object.values<{ value?: unknown }>(media.examples ?? {}).flatMap((example) => example.value ?? []);
  return [media.example ?? [], named, schema.example ?? [], schema.examples ?? [], nested].flat();
}

/** Generates a nearly valid request to `operation`: ids, query, headers and body each have their own chance of an error. */
function requestArbitrary(
  operation: Operation,
  ids: string[],
  apiKey: string,
  adminToken: string,
): fc.Arbitrary<FuzzedRequest> {
  const segments = [...operation.path.matchAll(/\{[^}]+\}/g)].length;
  const rightToken = operation.path.startsWith('/admin/') ? adminToken : apiKey;
  const query = fc.array(
    fc.tuple(
      fc.constantFrom(...operation.queryNames, 'x'),
      fc.oneof(fc.constantFrom(...ids), fc.string({ maxLength: 20 })),
    ),
    { maxLength: 3 },
  );
  return fc
    .record({
      ids: fc.array(fc.constantFrom(...ids), { minLength: segments, maxLength: segments }),
      query,
      token: fc.oneof({ weight: 12, arbitrary: fc.constant(rightToken) }, fc.constantFrom('', 'x', apiKey, adminToken)),
      contentType: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom('application/json', ...operation.contentTypes) },
        fc.constantFrom(
          'text/plain',
          'multipart/form-data',
          'multipart/form-data; boundary=x',
          'x',
          'application/x-www-form-urlencoded',
        ),
      ),
      key: fc.option(fc.stringMatching(/^[ -~]{0,20}$/), { freq: 4, nil: undefined }),
      body: bodyArbitrary(operation.examples),
    })
    .map(({ ids: chosen, query: parameters, token, contentType, key, body }) => {
      let index = 0;
      const path = operation.path.replaceAll(/\{[^}]+\}/g, () => chosen[index++] ?? 'x');
      const search = parameters
        .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`)
        .join('&');
      return {
        method: operation.method,
        path: search === '' ? path : `${path}?${search}`,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': contentType,
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        body: operation.method === 'GET' ? undefined : body,
      };
    });
}

function bodyArbitrary(examples: unknown[]): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const base = fc.constantFrom(...(examples.length > 0 ? examples : [{}]));
  const mutation = fc.record({
    at: fc.nat(40),
    value: fc.oneof(fc.constantFrom<unknown>(...JUNK_VALUES), fc.jsonValue({ maxDepth: 3 })),
    kind: fc.constantFrom('set', 'delete', 'wrap'),
  });
  const json = fc.tuple(base, fc.array(mutation, { maxLength: 3 })).map(([example, mutations]) => {
    const body = structuredClone(example);
    for (const change of mutations) mutate(body, change);
    return JSON.stringify(body) ?? '';
  });
  const bytes = fc
    .tuple(json, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }), fc.nat(10))
    .map(([text, edits, cut]) => {
      const edited = Buffer.from(text);
      for (const [at, byte] of edits) if (edited.length > 0) edited[at % edited.length] = byte;
      return cut === 0 ? edited.subarray(0, edited.length / 2) : edited;
    });
  return fc
    .oneof(
      { weight: 6, arbitrary: json.map((text) => Buffer.from(text)) },
      { weight: 2, arbitrary: bytes },
      fc.uint8Array({ maxLength: 200 }),
    )
    .map((body) => new Uint8Array(body));
}

/** Changes the `at`-th member of a JSON value. */
function mutate(value: unknown, change: { at: number; value: unknown; kind: string }): void {
  const places: [parent: Record<string, unknown>, key: string][] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, child] of Object.entries(node)) {
      places.push([node as Record<string, unknown>, key]);
      visit(child);
    }
  };
  visit(value);
  const place = places[change.at % Math.max(1, places.length)];
  if (place === undefined) return;
  const [parent, key] = place;
  // Without the copy, a later mutation could put the value into itself.
  const news = structuredClone(change.value);
  if (change.kind === 'delete') delete parent[key];
  else parent[key] = change.kind === 'wrap' ? [parent[key], news] : news;
}
