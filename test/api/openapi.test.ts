import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { PATTERN_WORDS } from '../../src/http/text-patterns.ts';
import { useGateway } from '../harness/fixtures.ts';
import { inlineSchema } from '../harness/inline-schema.ts';
import {
  examplesOf,
  type Json,
  METHODS,
  useDocument,
  walk,
  walkSchemas,
  without,
} from '../support/openapi-document.ts';

const SCHEMA_TYPES = new Set(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']);

/**
 * Served, but not part of the described API: routes for the upstream only, spellings of another operation, the test of a key, the reference,
 * the console, the page of set-up links, the token of an app, and the file itself.
 */
const HIDDEN = new Set([
  'GET /openapi.json',
  'GET /docs',
  'GET /webhooks/upstream/{}',
  'POST /webhooks/upstream/{}',
  'GET /docs/{}',
  'GET /docs/api/{}',
  'GET /docs/assets/{}',
  'GET /llms.txt',
  'GET /console',
  'GET /console*',
  'POST /console/session',
  'GET /console/session',
  'DELETE /console/session',
  'GET /setup',
  'GET /setup/assets/{}',
  'POST /setup/session',
  'GET /setup/session',
  'POST /setup/dialog',
  'GET /setup/callback',
  'POST /setup/steps/{}',
  'GET /console/oidc',
  'GET /v1/oauth/access_token',
  'POST /v1/oauth/access_token',
  'GET /webhooks/upstream',
  'POST /webhooks/upstream',
  'GET /metrics',
  'GET /v1',
]);

describe('the OpenAPI file', () => {
  const gateway = useGateway();
  const read = useDocument(gateway);

  it('is OpenAPI 3.1 with a title, a version and a summary', () => {
    assert.match(read.document.openapi, /^3\.1\.\d+$/);
    for (const field of ['title', 'version', 'description']) assert.ok(read.document.info[field], field);
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
    assert.deepEqual(without(Object.keys(read.document), known.root), []);
    for (const [path, item] of Object.entries<Json>(read.document.paths)) {
      assert.match(path, /^\//);
      assert.deepEqual(without(Object.keys(item), known.item), [], path);
    }
    for (const { name, described } of read.operations) {
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
    const paths = Object.keys(read.document.paths).map((path) => [path.replaceAll(/\{[^}]*\}/g, '{}'), path]);
    const twins = [...Map.groupBy(paths, ([shape]) => shape)].filter(([, group]) => group.length > 1);
    assert.deepEqual(
      twins.map(([, group]) => group.map(([, path]) => path)),
      [],
    );
  });

  it('has every operation described by a summary, a description, tags, parameters and responses', () => {
    for (const { name, path, described } of read.operations) {
      assert.ok(described.summary?.length > 3, `${name} has no summary`);
      assert.ok(described.description?.length > 20, `${name} has no description`);
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
    for (const { name, status, response } of read.responses) {
      assert.match(status, /^([1-5]\d\d|[1-5]XX|default)$/, name);
      assert.ok(response.description?.length > 0, `${name} ${status} has no description`);
    }
  });

  it("names every operation once, as a client's method would be named", () => {
    const names = read.operations.map(({ described }) => described.operationId);
    for (const [index, name] of names.entries())
      assert.match(String(name), /^[a-z][A-Za-z]+$/, read.operations[index]?.name);
    assert.equal(new Set(names).size, names.length);
  });

  it('states its server and its tags', () => {
    assert.deepEqual(read.document.servers, [{ url: gateway.baseUrl }]);
    const used = new Set<string>(read.operations.flatMap(({ described }) => described.tags));
    assert.deepEqual([...used].toSorted(), read.document.tags.map(({ name }: Json) => name).toSorted());
  });

  it('for generators: one type of form for each upload, concrete statuses, named bodies', () => {
    for (const { name, described } of read.operations) {
      const types = Object.keys(described.requestBody?.content ?? {});
      assert.ok(types.length <= 1, `${name}: ${types}`);
      for (const media of Object.values<Json>(described.requestBody?.content ?? {})) {
        assert.equal(media.schema.anyOf ?? media.schema.oneOf, undefined, name);
      }
    }
    assert.deepEqual(
      read.responses.filter(({ status }) => /X/.test(status)).map(({ name, status }) => `${name} ${status}`),
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
    assert.deepEqual(without(names, Object.keys(read.document.components.schemas)), []);
    const send = read.document.components.schemas.SendRequest;
    assert.deepEqual(without(send.properties.type.enum, Object.keys(send.properties)), []);
    const headers = read.operations
      .flatMap(({ described }) => described.parameters ?? [])
      .filter(({ in: place }: Json) => place === 'header');
    assert.deepEqual(headers, [], 'an import would send them with made-up values');
  });

  it('the pattern of `to`: takes and refuses what the gateway takes and refuses', () => {
    const pattern = new RegExp(read.document.components.schemas.SendRequest.properties.to.pattern, 'u');
    for (const to of ['+15551230001', '+1 (555) 123-0001', '+49.170.1234567']) assert.match(to, pattern);
    for (const to of ['15551230001', '+0555123000', '+123456', `+${'1'.repeat(16)}`, '+1555123000a', '']) {
      assert.doesNotMatch(to, pattern);
    }
  });

  it('every pattern: its refusal says in words what is wanted', () => {
    const missing = new Set<string>();
    walkSchemas(read.document, ({ pattern }) => {
      if (pattern !== undefined && !PATTERN_WORDS.has(pattern)) missing.add(pattern);
    });
    assert.deepEqual([...missing], []);
  });

  it('may be read by pages of any origin', async () => {
    const response = await fetch(`${gateway.baseUrl}/openapi.json`, { headers: { origin: 'https://tool.example' } });
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
  });

  it('has an example that satisfies the schema, for every body of requests and answers', () => {
    const requests = read.operations.map(({ name, described }) => [`${name} request`, described.requestBody]);
    const answers = read.responses.map(({ name, status, response }) => [`${name} ${status}`, response]);
    for (const [which, body] of [...requests, ...answers]) {
      for (const [type, media] of Object.entries<Json>(body?.content ?? {})) {
        const examples = examplesOf({ ...media, schema: inlineSchema(read.document, media.schema) });
        assert.ok(examples.length > 0, `${which} ${type} has no example`);
        const validator = Compile(inlineSchema(read.document, media.schema) as Json);
        for (const example of examples) {
          assert.ok(validator.Check(example), `${which} ${type}: ${JSON.stringify(example)}`);
        }
      }
    }
  });

  it('has an example that satisfies the schema, for every event', () => {
    for (const [type, { post }] of Object.entries<Json>(read.document.webhooks)) {
      const { schema, example } = post.requestBody.content['application/json'];
      assert.equal(example.type, type);
      const validator = Compile(inlineSchema(read.document, schema) as Json);
      assert.ok(validator.Check(example), `${type}: ${JSON.stringify(example)}`);
    }
  });

  it('names existing security schemes, and no operation without a key but health', () => {
    const schemes = Object.keys(read.document.components.securitySchemes);
    for (const { name, described } of read.operations) {
      const security: Json[] = described.security ?? read.document.security;
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

  it('requires a body only if the operation requires one', () => {
    const optional = read.operations.filter(({ described }) => described.requestBody?.required === false);
    assert.deepEqual(optional.map(({ described }) => described.operationId).toSorted(), [
      'createApiKey',
      'createSetupLink',
      'enableWebhook',
      'repeatOnboardingStep',
      'rotateApiKey',
      'rotateOperatorToken',
      'rotateWebhookSecret',
    ]);
  });

  it('has integers for counts, so that generated clients page every list alike', () => {
    const limits = read.operations.flatMap(({ name, described }) =>
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

  it('has schemas of JSON Schema 2020-12, without remains of OpenAPI 3.0', () => {
    walkSchemas(read.document, (schema, where) => {
      assert.equal('nullable' in schema, false, where);
      for (const type of [schema.type ?? []].flat()) assert.ok(SCHEMA_TYPES.has(type), `${where}: type ${type}`);
      for (const required of schema.required ?? []) {
        if (schema.properties)
          assert.ok(required in schema.properties, `${where}: ${required} is required but unknown`);
      }
    });
  });

  it('has no broken reference', () => {
    walk(read.document, (value, where) => {
      if (typeof value?.$ref !== 'string') return;
      const target = value.$ref
        .split('/')
        .slice(1)
        .reduce((found: Json, key: string) => found?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], read.document);
      assert.notEqual(target, undefined, `${where}: ${value.$ref}`);
    });
  });

  it('has exactly the routes that the server serves, except the deliberately hidden', () => {
    const served = new Set(routesOf(gateway.app.http.printRoutes({ commonPrefix: false })));
    const described = read.operations.map(({ name }) => name);
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
