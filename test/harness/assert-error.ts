import assert from 'node:assert/strict';
import type { Answer } from './tenant.ts';

/**
 * Asserts that an answer is an error as in api-rules#errors with this status and code. It has `message`, `code` and the request's id as in
 * `x-request-id`. It repeats the error in the Graph API's shape under the number `graphCode`. A 401 names the authentication scheme.
 */
export function assertError(answer: Answer, status: number, code: string, graphCode?: number): void {
  assert.equal(answer.status, status, answer.text);
  const { json } = answer;
  assert.equal(json?.code, code, answer.text);
  assert.equal(typeof json.message, 'string');
  assert.notEqual(json.message, '');
  assert.equal(answer.headers.get('www-authenticate'), status === 401 ? 'Bearer realm="fairway"' : null);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  const requestId = answer.headers.get('x-request-id');
  assert.ok(requestId, 'x-request-id is on every answer');
  assert.equal(json.request_id, requestId);
  assert.equal(json.error.message, json.message);
  const isAbsent = ['NOT_FOUND', 'ACCOUNT_NOT_FOUND', 'METHOD_NOT_ALLOWED'].includes(code);
  assert.equal(json.error.type, isAbsent ? 'GraphMethodException' : 'OAuthException');
  assert.equal(typeof json.error.error_data.details, 'string');
  assert.equal(json.error.fbtrace_id, requestId);
  assert.ok(Number.isInteger(json.error.code), answer.text);
  if (graphCode !== undefined) assert.equal(json.error.code, graphCode, answer.text);
}

/** Returns the answer's text without the request id, for comparing two refusals. */
export function textWithoutRequestId(answer: Answer): string {
  return answer.text.replaceAll(answer.headers.get('x-request-id') ?? '', '…');
}
