import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyError, type ErrorClass } from './error-classes.ts';
import { type GraphError, graphErrorOf } from './graph-error.ts';

function error(fields: object): GraphError {
  const read = graphErrorOf(fields);
  assert.ok(read !== null);
  return read;
}

/** Every documented code: first, last, class, what it parks. The test tries contradicting HTTP statuses on all of them. */
const documented: [number, number, ErrorClass, ('number' | 'waba' | 'credential')?][] = [
  [0, 0, 'CREDENTIAL', 'credential'],
  [1, 2, 'TRANSIENT'],
  [3, 3, 'CREDENTIAL', 'credential'],
  [4, 4, 'THROTTLE_APP'],
  [10, 10, 'CREDENTIAL', 'credential'],
  [17, 17, 'THROTTLE_APP'],
  [32, 32, 'THROTTLE_APP'],
  [33, 33, 'PERMANENT', 'number'],
  [100, 100, 'PERMANENT'],
  [102, 102, 'CREDENTIAL', 'credential'],
  [104, 104, 'CREDENTIAL', 'credential'],
  [190, 190, 'CREDENTIAL', 'credential'],
  [200, 299, 'CREDENTIAL', 'credential'],
  [341, 341, 'THROTTLE_APP'],
  [368, 368, 'PERMANENT', 'waba'],
  [506, 506, 'PERMANENT'],
  [613, 613, 'THROTTLE_APP'],
  [803, 803, 'PERMANENT'],
  [2500, 2500, 'PERMANENT'],
  [80007, 80008, 'THROTTLE_WABA'],
  [130403, 130403, 'PERMANENT'],
  [130429, 130429, 'THROTTLE_NUMBER'],
  [130472, 130472, 'PERMANENT'],
  [130497, 130497, 'PERMANENT'],
  [131000, 131000, 'TRANSIENT'],
  [131005, 131005, 'CREDENTIAL', 'credential'],
  [131008, 131009, 'PERMANENT'],
  [131016, 131016, 'TRANSIENT'],
  [131021, 131021, 'PERMANENT'],
  [131026, 131026, 'PERMANENT'],
  [131030, 131030, 'PERMANENT'],
  [131031, 131031, 'PERMANENT', 'waba'],
  [131035, 131035, 'PERMANENT'],
  [131037, 131037, 'PERMANENT', 'number'],
  [131041, 131041, 'PERMANENT'],
  [131042, 131042, 'PERMANENT', 'waba'],
  [131044, 131044, 'PERMANENT'],
  [131045, 131045, 'PERMANENT', 'number'],
  [131047, 131047, 'PERMANENT'],
  [131048, 131048, 'THROTTLE_NUMBER'],
  [131049, 131050, 'PERMANENT'],
  [131051, 131051, 'PERMANENT'],
  [131052, 131052, 'PERMANENT'],
  [131053, 131053, 'PERMANENT'],
  [131055, 131055, 'PERMANENT'],
  [131056, 131056, 'THROTTLE_PAIR'],
  [131057, 131057, 'TRANSIENT', 'number'],
  [131060, 131060, 'PERMANENT'],
  [131062, 131063, 'PERMANENT'],
  [131064, 131064, 'THROTTLE_WABA'],
  [132000, 132001, 'PERMANENT'],
  [132005, 132005, 'PERMANENT'],
  [132007, 132008, 'PERMANENT'],
  [132012, 132012, 'PERMANENT'],
  [132015, 132016, 'PERMANENT'],
  [132018, 132018, 'PERMANENT'],
  [132021, 132021, 'PERMANENT'],
  [132068, 132069, 'PERMANENT'],
  [133000, 133000, 'PERMANENT', 'number'],
  [133004, 133004, 'TRANSIENT'],
  [133005, 133005, 'PERMANENT'],
  [133006, 133006, 'PERMANENT', 'number'],
  [133008, 133010, 'PERMANENT', 'number'],
  [133015, 133015, 'TRANSIENT'],
  [133016, 133016, 'THROTTLE_NUMBER'],
  [134011, 134011, 'PERMANENT'],
  [134100, 134100, 'PERMANENT'],
  [134101, 134101, 'TRANSIENT'],
  [134102, 134102, 'PERMANENT'],
  [135000, 135000, 'PERMANENT'],
  [137000, 137000, 'PERMANENT'],
  [138000, 138023, 'PERMANENT'],
  [139000, 139004, 'PERMANENT'],
  [139100, 139103, 'PERMANENT'],
  [139200, 139200, 'PERMANENT'],
  [147001, 147005, 'PERMANENT'],
  [200002, 200002, 'TRANSIENT'],
  [200005, 200007, 'PERMANENT'],
  [2388000, 2388999, 'PERMANENT'],
  [2494055, 2494055, 'THROTTLE_NUMBER'],
  [2494100, 2494100, 'TRANSIENT', 'number'],
  [2593107, 2593108, 'PERMANENT'],
];

test('documented code: same class under every HTTP status', () => {
  for (const [from, to, errorClass, parks = null] of documented) {
    for (const code of new Set([from, to])) {
      for (const httpStatus of [400, 401, 403, 404, 429, 500, 503]) {
        const { waitMs: _, isOutage, ...verdict } = classifyError(error({ code }), httpStatus);
        assert.deepEqual(verdict, { class: errorClass, parks }, `code ${code} with HTTP ${httpStatus}`);
        assert.equal(isOutage, [2, 131016, 133004].includes(code), `code ${code} with HTTP ${httpStatus}`);
      }
    }
  }
});

test('code next to a documented range: not part of it', () => {
  for (const code of [199, 300, 131007, 131010, 133007, 133011, 138024, 2387999, 2389000]) {
    assert.equal(classifyError(error({ code }), 400).class, 'PERMANENT', String(code));
    assert.equal(classifyError(error({ code }), 500).class, 'TRANSIENT', String(code));
  }
});

test('unknown code: HTTP 429 → throttle', () => {
  assert.equal(classifyError(error({ code: 999_999 }), 429).class, 'THROTTLE_NUMBER');
});

test('error without a code → transient', () => {
  assert.equal(classifyError(error({ message: 'x' }), 400).class, 'TRANSIENT');
});

test('restriction that the platform lifts itself → retried after its wait', () => {
  for (const code of [131048, 131064])
    assert.equal(classifyError(error({ code }), 400).waitMs, 15 * 60_000, String(code));
});

test('is_transient: overrides every class except transient and throttles', () => {
  for (const [code, , errorClass] of documented) {
    const verdict = classifyError(error({ code, is_transient: true }), 400);
    assert.equal(verdict.class, errorClass.startsWith('THROTTLE_') ? errorClass : 'TRANSIENT', String(code));
  }
  assert.equal(classifyError(error({ code: 131057, is_transient: true }), 500).parks, 'number');
  assert.equal(classifyError(error({ code: 190, is_transient: true }), 500).parks, null);
  assert.equal(classifyError(error({ code: 190, is_transient: 'true' }), 500).class, 'CREDENTIAL');
});

test('subcode: changes nothing except for 100/33', () => {
  assert.equal(classifyError(error({ code: 190, error_subcode: 463 }), 401).class, 'CREDENTIAL');
  assert.equal(classifyError(error({ code: 131009, error_subcode: 2494055 }), 400).class, 'PERMANENT');
  assert.equal(classifyError(error({ code: 100, error_subcode: 2388024 }), 400).class, 'PERMANENT');
  const verdict = classifyError(error({ code: 100, error_subcode: 33 }), 400, '777');
  assert.deepEqual(verdict, { class: 'PERMANENT', parks: 'number', waitMs: null, isOutage: false });
});

test('100/33: parks the number only if it names no other object', () => {
  const about = (id: string) => {
    return error({
      code: 100,
      error_subcode: 33,
      message: `Unsupported post request. Object with ID '${id}' does not exist`,
    });
  };
  assert.equal(classifyError(about('777'), 400, '777').parks, 'number');
  assert.equal(classifyError(about('888'), 400).parks, 'number');
  // The body's id is quoted unchanged, empty or long.
  for (const id of ['888', '', ' ', "it's", '7'.repeat(5000), '777\n888']) {
    const verdict = classifyError(about(id), 400, '777');
    assert.deepEqual(verdict, { class: 'PERMANENT', parks: null, waitMs: null, isOutage: false }, id);
  }
});

test('app secret proof missing or wrong → message waits, retried every minute', () => {
  for (const message of [
    'API calls from the server require an appsecret_proof argument',
    'Invalid appsecret_proof provided in the API argument',
  ]) {
    const verdict = classifyError(error({ code: 100, message }), 400);
    assert.deepEqual(verdict, { class: 'CREDENTIAL', parks: 'number', waitMs: 60_000, isOutage: false });
  }
});
