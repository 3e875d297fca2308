import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { useGateway } from '../harness/fixtures.ts';
import { inlineSchema } from '../harness/inline-schema.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
const SCHEMA_TYPES = new Set(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']);

/**
 * Served, but not part of the described API: routes for the upstream only, spellings of another operation, the test of a key, and the file
 * itself.
 */
const HIDDEN = new Set([
  'GET /openapi.json',
  'GET /webhooks/upstream',
  'POST /webhooks/upstream',
  'GET /metrics',
  'GET /v1',
]);

/** Codes that each operation of the spec can answer by its own error table, and those of every operation behind a key. */
const COMMON_CODES = { 401: ['UNAUTHORIZED'], 503: ['UNAVAILABLE'] };
const SPEC_CODES: Record<string, Record<number, string[]>> = {
  'POST /v1/{}/messages': {
    400: ['VALIDATION_ERROR', 'TEMPLATE_LANGUAGE_REQUIRED'],
    403: [
      'OUTSIDE_24H_WINDOW',
      'TEMPLATE_NOT_APPROVED',
      'PLAN_INACTIVE',
      'PLAN_MESSAGE_LIMIT_REACHED',
      'PLAN_TYPE_NOT_INCLUDED',
      'PLAN_BUDGET_EXCEEDED',
    ],
    404: ['ACCOUNT_NOT_FOUND', 'TEMPLATE_NOT_FOUND', 'TEMPLATE_LANGUAGE_NOT_FOUND'],
    409: ['ACCOUNT_NOT_REGISTERED'],
    413: ['PAYLOAD_TOO_LARGE'],
    422: ['SEND_FAILED', 'IDEMPOTENCY_KEY_REUSED'],
    429: ['RATE_LIMITED', 'QUEUE_FULL'],
    500: ['INTERNAL_ERROR'],
  },
  'GET /v1/messages/{}': { 400: ['INVALID_ID'], 404: ['NOT_FOUND'], 500: ['FETCH_FAILED'] },
  'POST /v1/{}/templates': {
    400: ['VALIDATION_ERROR'],
    404: ['NOT_FOUND'],
    409: ['ACCOUNT_NOT_REGISTERED'],
    413: ['PAYLOAD_TOO_LARGE'],
    422: ['PROVIDER_REJECTED'],
    500: ['INTERNAL_ERROR'],
  },
  'POST /v1/media/upload': {
    400: ['MISSING_PHONE_NUMBER', 'MISSING_FILE', 'INVALID_MEDIA'],
    404: ['ACCOUNT_NOT_FOUND'],
    413: ['PAYLOAD_TOO_LARGE'],
    500: ['UPLOAD_FAILED'],
    502: ['UPLOAD_REJECTED'],
  },
};

// biome-ignore lint/suspicious/noExplicitAny: a document is judged here, not trusted
type Json = any;

interface Operation {
  /** `POST /v1/{}/messages` */
  name: string;
  path: string;
  described: Json;
}

describe('the OpenAPI file', () => {
  let document: Json;
  let operations: Operation[];
  /** Over all operations. */
  let responses: { name: string; status: string; response: Json }[];
  const errors = () => responses.filter(({ status }) => /^[45]/.test(status));
  const gateway = useGateway();
  before(async () => {
    const response = await fetch(`${gateway.baseUrl}/openapi.json`);
    assert.equal(response.status, 200);
    document = await response.json();
    operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
      Object.entries<Json>(item)
        .filter(([method]) => METHODS.includes(method))
        .map(([method, described]) => ({ name: nameOf(method, path), path, described })),
    );
    assert.ok(operations.length > 0);
    responses = operations.flatMap(({ name, described }) =>
      Object.entries<Json>(described.responses ?? {}).map(([status, response]) => ({ name, status, response })),
    );
  });

  it('is OpenAPI 3.1 with a title, a version and a summary', () => {
    assert.match(document.openapi, /^3\.1\.\d+$/);
    for (const field of ['title', 'version', 'description']) assert.ok(document.info[field], field);
  });

  it('has only members that OpenAPI defines on the way to its operations', () => {
    const known = {
      root: [
        'openapi',
        'info',
        'servers',
        'paths',
        'webhooks',
        'components',
        'security',
        'tags',
        'externalDocs',
        'jsonSchemaDialect',
      ],
      item: [...METHODS, 'head', 'options', 'trace', 'parameters', 'summary', 'description', 'servers'],
      operation: [
        'tags',
        'summary',
        'description',
        'operationId',
        'parameters',
        'requestBody',
        'responses',
        'security',
        'deprecated',
        'callbacks',
        'externalDocs',
        'servers',
      ],
    };
    assert.deepEqual(without(Object.keys(document), known.root), []);
    for (const [path, item] of Object.entries<Json>(document.paths)) {
      assert.match(path, /^\//);
      assert.deepEqual(without(Object.keys(item), known.item), [], path);
    }
    for (const { name, described } of operations) {
      assert.deepEqual(
        without(
          Object.keys(described).filter((key) => !key.startsWith('x-')),
          known.operation,
        ),
        [],
        name,
      );
    }
  });

  it('has no two paths that differ only in the names of their parameters', () => {
    const paths = Object.keys(document.paths).map((path) => [path.replaceAll(/\{[^}]*\}/g, '{}'), path]);
    const twins = [...Map.groupBy(paths, ([shape]) => shape)].filter(([, group]) => group.length > 1);
    assert.deepEqual(
      twins.map(([, group]) => group.map(([, path]) => path)),
      [],
    );
  });

  it('has every operation described by a summary, tags, parameters and responses', () => {
    for (const { name, path, described } of operations) {
      assert.ok(described.summary?.length > 3, `${name} has no summary`);
      assert.ok(described.tags?.length > 0, `${name} has no tags`);
      const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, parameter]) => parameter).toSorted();
      const parameters: Json[] = described.parameters ?? [];
      const declared = parameters.filter((parameter) => parameter.in === 'path');
      assert.deepEqual(declared.map((parameter) => parameter.name).toSorted(), inPath, name);
      for (const parameter of parameters) {
        assert.ok(['path', 'query', 'header', 'cookie'].includes(parameter.in), name);
        assert.ok(parameter.schema ?? parameter.content, `${name}: ${parameter.name} has no schema`);
        if (parameter.in === 'path') assert.equal(parameter.required, true, `${name}: ${parameter.name}`);
      }
      assert.ok(Object.keys(described.responses ?? {}).length > 0, `${name} has no responses`);
      assert.ok(
        Object.keys(described.responses).some((status) => status.startsWith('2')),
        `${name} never succeeds`,
      );
    }
    for (const { name, status, response } of responses) {
      assert.match(status, /^([1-5]\d\d|[1-5]XX|default)$/, name);
      assert.ok(response.description?.length > 0, `${name} ${status} has no description`);
    }
  });

  it("names every operation once, as a client's method would be named", () => {
    const names = operations.map(({ described }) => described.operationId);
    for (const [index, name] of names.entries())
      assert.match(String(name), /^[a-z][A-Za-z]+$/, operations[index]?.name);
    assert.equal(new Set(names).size, names.length);
  });

  it('states its server and its tags', () => {
    assert.deepEqual(document.servers, [{ url: gateway.baseUrl }]);
    const used = new Set<string>(operations.flatMap(({ described }) => described.tags));
    assert.deepEqual([...used].toSorted(), document.tags.map(({ name }: Json) => name).toSorted());
  });

  it('for generators: one type of form for each upload, concrete statuses, named bodies', () => {
    for (const { name, described } of operations) {
      const types = Object.keys(described.requestBody?.content ?? {});
      assert.ok(types.length <= 1, `${name}: ${types}`);
      for (const media of Object.values<Json>(described.requestBody?.content ?? {})) {
        assert.equal(media.schema.anyOf ?? media.schema.oneOf, undefined, name);
      }
    }
    assert.deepEqual(
      responses.filter(({ status }) => /X/.test(status)).map(({ name, status }) => `${name} ${status}`),
      [],
    );
    const names = [
      'Message',
      'SendRequest',
      'Event',
      'Template',
      'WebhookEndpoint',
      'Delivery',
      'Error',
      'Organization',
    ];
    assert.deepEqual(without(names, Object.keys(document.components.schemas)), []);
    const send = document.components.schemas.SendRequest;
    assert.deepEqual(without(send.properties.type.enum, Object.keys(send.properties)), []);
    const headers = operations
      .flatMap(({ described }) => described.parameters ?? [])
      .filter(({ in: place }: Json) => place === 'header');
    assert.deepEqual(headers, [], 'an import would send them with made-up values');
  });

  it('the pattern of `to`: takes and refuses what the gateway takes and refuses', () => {
    const pattern = new RegExp(document.components.schemas.SendRequest.properties.to.pattern, 'u');
    for (const to of ['+15551230001', '+1 (555) 123-0001', '+49.170.1234567']) assert.match(to, pattern);
    for (const to of ['15551230001', '+0555123000', '+123456', `+${'1'.repeat(16)}`, '+1555123000a', '']) {
      assert.doesNotMatch(to, pattern);
    }
  });

  it('may be read by pages of any origin', async () => {
    const response = await fetch(`${gateway.baseUrl}/openapi.json`, { headers: { origin: 'https://tool.example' } });
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
  });

  it('has one schema for all errors', () => {
    for (const { name, status, response } of errors()) {
      const { allOf } = response.content['application/json'].schema;
      assert.deepEqual(allOf, [{ $ref: '#/components/schemas/Error' }], `${name} ${status}`);
    }
  });

  it('has an example that satisfies the schema, for every body of requests and answers', () => {
    const requests = operations.map(({ name, described }) => [`${name} request`, described.requestBody]);
    const answers = responses.map(({ name, status, response }) => [`${name} ${status}`, response]);
    for (const [which, body] of [...requests, ...answers]) {
      for (const [type, media] of Object.entries<Json>(body?.content ?? {})) {
        const examples = examplesOf({ ...media, schema: inlineSchema(document, media.schema) });
        assert.ok(examples.length > 0, `${which} ${type} has no example`);
        const validator = Compile(inlineSchema(document, media.schema) as Json);
        for (const example of examples) {
          assert.ok(validator.Check(example), `${which} ${type}: ${JSON.stringify(example)}`);
        }
      }
    }
  });

  it('has examples of errors as they are answered', () => {
    const numberOf: Json = {
      UNAUTHORIZED: 190,
      OUTSIDE_24H_WINDOW: 131047,
      ACCOUNT_NOT_FOUND: 33,
      ACCOUNT_NOT_REGISTERED: 133010,
      RATE_LIMITED: 80007,
      INTERNAL_ERROR: 2,
      FETCH_FAILED: 2,
      UPLOAD_FAILED: 2,
      UNAVAILABLE: 2,
      REQUEST_TIMEOUT: 2,
    };
    const found = new Set<string>();
    for (const { name, status, response } of errors()) {
      const examples = examplesOf(response.content['application/json']);
      for (const { code, error, provider_error, available_languages } of examples) {
        found.add(code);
        assert.equal(error.code, provider_error?.code ?? numberOf[code] ?? 100, `${name} ${status}`);
        assert.equal(provider_error !== undefined, /^(SEND_FAILED|\w+_REJECTED)$/.test(code), `${name} ${status}`);
        assert.equal(available_languages !== undefined, /_LANGUAGE_/.test(code), `${name} ${status}`);
      }
    }
    for (const code of Object.keys(numberOf)) assert.ok(found.has(code), code);
  });

  it('names existing security schemes, and no operation without a key but health', () => {
    const schemes = Object.keys(document.components.securitySchemes);
    for (const { name, described } of operations) {
      const security: Json[] = described.security ?? document.security;
      for (const requirement of security) assert.deepEqual(without(Object.keys(requirement), schemes), [], name);
      const expected = / \/(admin\/|metrics)/.test(name)
        ? ['adminToken']
        : / \/(healthz|readyz)$/.test(name)
          ? []
          : ['apiKey'];
      assert.deepEqual(
        security.flatMap((requirement) => Object.keys(requirement)),
        expected,
        name,
      );
    }
  });

  it('has 401 and 503 on every operation behind a key or token', () => {
    for (const { name, described } of operations) {
      if ((described.security ?? document.security).length === 0) continue;
      assert.deepEqual(codesOf(described.responses['401']), COMMON_CODES[401], name);
      assert.deepEqual(without(COMMON_CODES[503], codesOf(described.responses['503'])), [], `${name} 503`);
    }
  });

  it('has 408 and 413 on every operation that reads a body', () => {
    for (const { name, described } of operations) {
      if (name.startsWith('GET ')) continue;
      assert.deepEqual(codesOf(described.responses['408']), ['REQUEST_TIMEOUT'], `${name} 408`);
      assert.deepEqual(codesOf(described.responses['413']), ['PAYLOAD_TOO_LARGE'], `${name} 413`);
    }
  });

  it('names the headers of answers: Retry-After, authentication scheme, replay', () => {
    for (const { name, status, response } of responses) {
      const codes = codesOf(response);
      const waits = codes.some((code) => ['RATE_LIMITED', 'QUEUE_FULL', 'UNAVAILABLE'].includes(code));
      const expected = [
        ...(codes.includes('UNAUTHORIZED') ? ['WWW-Authenticate'] : []),
        ...(waits ? ['Retry-After'] : []),
        ...(name === 'POST /v1/{}/messages' && ['200', '202', '422'].includes(status) ? ['Idempotent-Replayed'] : []),
      ];
      assert.deepEqual(without(expected, Object.keys(response.headers ?? {})), [], `${name} ${status}`);
    }
  });

  it('requires a body only if the operation requires one', () => {
    const optional = operations.filter(({ described }) => described.requestBody?.required === false);
    assert.deepEqual(optional.map(({ described }) => described.operationId).toSorted(), [
      'createApiKey',
      'enableWebhook',
      'rotateWebhookSecret',
    ]);
  });

  it('has integers for counts, so that generated clients page every list alike', () => {
    const limits = operations.flatMap(({ name, described }) =>
      (described.parameters ?? [])
        .filter((parameter: Json) => parameter.name === 'limit')
        .map(({ schema }: Json) => [name, schema.type, typeof schema.default]),
    );
    assert.ok(limits.length >= 8, String(limits.length));
    assert.deepEqual(
      limits.filter(([, type, fallback]) => type !== 'integer' || fallback !== 'number'),
      [],
    );
  });

  it('has QUEUE_FULL only on operations that queue', () => {
    const queueing = operations.filter(({ described }) => codesOf(described.responses['429']).includes('QUEUE_FULL'));
    assert.deepEqual(
      queueing.map(({ name }) => name),
      ['POST /v1/{}/messages'],
    );
  });

  it("has every code of the spec's error tables in its place", () => {
    for (const [name, table] of Object.entries(SPEC_CODES)) {
      const operation = operations.find((candidate) => candidate.name === name);
      assert.ok(operation, `${name} is missing`);
      for (const [status, codes] of Object.entries(table)) {
        const documented = codesOf(operation.described.responses[status]);
        assert.deepEqual(without(codes, documented), [], `${name} ${status} documents ${documented.join(', ')}`);
      }
    }
  });

  it('has no error code under two HTTP statuses of one operation', () => {
    for (const { name, described } of operations) {
      const seen = new Map<string, string>();
      for (const [status, response] of Object.entries<Json>(described.responses)) {
        for (const code of codesOf(response)) {
          if (code === 'UPLOAD_REJECTED') continue;
          assert.equal(seen.get(code), undefined, `${name}: ${code} under ${seen.get(code)} and ${status}`);
          seen.set(code, status);
        }
      }
    }
  });

  it('has schemas of JSON Schema 2020-12, without remains of OpenAPI 3.0', () => {
    walkSchemas(document, (schema, where) => {
      assert.equal('nullable' in schema, false, where);
      for (const type of [schema.type ?? []].flat()) assert.ok(SCHEMA_TYPES.has(type), `${where}: type ${type}`);
      for (const required of schema.required ?? []) {
        if (schema.properties)
          assert.ok(required in schema.properties, `${where}: ${required} is required but unknown`);
      }
    });
  });

  it('has no broken reference', () => {
    walk(document, (value, where) => {
      if (typeof value?.$ref !== 'string') return;
      const target = value.$ref
        .split('/')
        .slice(1)
        .reduce((found: Json, key: string) => found?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
      assert.notEqual(target, undefined, `${where}: ${value.$ref}`);
    });
  });

  it('has exactly the routes that the server serves, except the deliberately hidden', () => {
    const served = new Set(routesOf(gateway.app.http.printRoutes({ commonPrefix: false })));
    const described = operations.map(({ name }) => name);
    assert.deepEqual(
      [...served].filter((name) => !described.includes(name) && !HIDDEN.has(name)),
      [],
    );
    assert.deepEqual(
      described.filter((name) => !served.has(name)),
      [],
    );
  });
});

function nameOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`;
}

function without(list: string[], known: string[]): string[] {
  return list.filter((entry) => !known.includes(entry));
}

function examplesOf({ example, examples = {}, schema }: Json): Json[] {
  const named = Object.values<Json>(examples).map((one) => one.value);
  return [example, ...named, schema?.example, ...(schema?.examples ?? [])].filter((found) => found !== undefined);
}

/** Returns the documented values of `code` in a response's body. */
function codesOf(response: Json): string[] {
  return response?.content?.['application/json']?.schema?.properties?.code?.enum ?? [];
}

function walk(value: Json, visit: (value: Json, where: string) => void, where = '#'): void {
  if (typeof value !== 'object' || value === null) return;
  visit(value, where);
  for (const [key, child] of Object.entries(value)) walk(child, visit, `${where}/${key}`);
}

/** Visits every schema of the document. */
function walkSchemas(document: Json, visit: (schema: Json, where: string) => void): void {
  const within = (schema: Json, where: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    visit(schema, where);
    for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
      for (const [index, child] of (schema[key] ?? []).entries()) within(child, `${where}/${key}/${index}`);
    }
    for (const key of ['properties', 'patternProperties', '$defs']) {
      for (const [name, child] of Object.entries(schema[key] ?? {})) within(child, `${where}/${key}/${name}`);
    }
    for (const key of ['items', 'additionalProperties', 'not']) within(schema[key], `${where}/${key}`);
  };
  walk(document.paths, (value, where) => {
    if (typeof value.schema === 'object' && !where.includes('/example')) within(value.schema, `${where}/schema`);
  });
}

/** Returns the routes in Fastify's drawing of its router, as `GET /v1/messages/{}`; HEAD comes with GET. */
function routesOf(drawing: string): string[] {
  const prefixes: string[] = [];
  return drawing.split('\n').flatMap((line) => {
    const match = /^([│ ]*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?$/.exec(line);
    if (match === null) return [];
    const [, indent = '', segment = '', methods = ''] = match;
    const depth = indent.length / 4;
    prefixes.length = depth;
    prefixes[depth] = segment;
    const path = prefixes.join('').replaceAll(/:[^/]+/g, '{}');
    return methods.split(', ').flatMap((method) => (method === '' || method === 'HEAD' ? [] : [`${method} ${path}`]));
  });
}
