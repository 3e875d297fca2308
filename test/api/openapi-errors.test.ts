import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useGateway } from '../harness/fixtures.ts';
import { codesOf, examplesOf, type Json, useDocument, without } from '../support/openapi-document.ts';

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

describe('the OpenAPI file: errors', () => {
  const gateway = useGateway();
  const read = useDocument(gateway);
  const errors = () => read.responses.filter(({ status }) => /^[45]/.test(status));

  it('has one schema for all errors', () => {
    for (const { name, status, response } of errors()) {
      const { allOf } = response.content['application/json'].schema;
      assert.deepEqual(allOf, [{ $ref: '#/components/schemas/Error' }], `${name} ${status}`);
    }
  });

  it('has examples of errors as they are answered', () => {
    const numberOf: Json = {
      UNAUTHORIZED: 190,
      FORBIDDEN: 10,
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

  it('has 401 and 503 on every operation behind a key or token', () => {
    for (const { name, described } of read.operations) {
      if ((described.security ?? read.document.security).length === 0) continue;
      assert.deepEqual(codesOf(described.responses['401']), COMMON_CODES[401], name);
      assert.deepEqual(without(COMMON_CODES[503], codesOf(described.responses['503'])), [], `${name} 503`);
    }
  });

  it('has 408 and 413 on every operation that reads a body', () => {
    for (const { name, described } of read.operations) {
      if (name.startsWith('GET ')) continue;
      assert.deepEqual(codesOf(described.responses['408']), ['REQUEST_TIMEOUT'], `${name} 408`);
      assert.deepEqual(codesOf(described.responses['413']), ['PAYLOAD_TOO_LARGE'], `${name} 413`);
    }
  });

  it('names the headers of answers: Retry-After, authentication scheme, replay', () => {
    for (const { name, status, response } of read.responses) {
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

  it('has QUEUE_FULL only on operations that queue', () => {
    const queueing = read.operations.filter(({ described }) =>
      codesOf(described.responses['429']).includes('QUEUE_FULL'),
    );
    assert.deepEqual(
      queueing.map(({ name }) => name),
      ['POST /v1/{}/messages', 'POST /v1/{}/marketing_messages'],
    );
  });

  it("has every code of the spec's error tables in its place", () => {
    for (const [name, table] of Object.entries(SPEC_CODES)) {
      const operation = read.operations.find((candidate) => candidate.name === name);
      assert.ok(operation, `${name} is missing`);
      for (const [status, codes] of Object.entries(table)) {
        const documented = codesOf(operation.described.responses[status]);
        assert.deepEqual(without(codes, documented), [], `${name} ${status} documents ${documented.join(', ')}`);
      }
    }
  });

  it('has no error code under two HTTP statuses of one operation', () => {
    for (const { name, described } of read.operations) {
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
});
