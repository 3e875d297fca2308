import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Evidence, type Findings, findViolations } from './checker.ts';
import type { ClientRecord } from './load-plan.ts';
import { isClean } from './report.ts';

const END_MS = 1_000_000;

/** Two messages of one lane, accepted one after the other, sent in that order and read. */
function cleanRun(): Evidence {
  return {
    records: [recordOf(0), recordOf(1)],
    sends: [sendOf(0, 1), sendOf(1, 2)],
    violations: [],
    messages: [storedOf(0), storedOf(1)],
    queue: [],
    endedAtMs: END_MS,
    isQuiet: true,
    resentIds: new Set(),
    rollingRestarts: [],
    failovers: [],
  };
}

function recordOf(index: number, change: Partial<ClientRecord> = {}): ClientRecord {
  const attempt = { atMs: 1_000, untilMs: 1_010, port: 1, status: 202, code: null };
  return {
    ...{ tag: `m:0:${index}`, lane: 0, index, keyed: true, sync: false },
    ...{ outcome: 'accepted', ids: [`id${index}`], attempts: [attempt], ...change },
  };
}

function sendOf(index: number, sequence: number) {
  return { sequence, arrivedAtMs: sequence, phoneNumberId: '1', tag: `m:0:${index}`, wamid: `w${index}` };
}

function storedOf(index: number) {
  return { id: `id${index}`, tag: `m:0:${index}`, status: 3, wamid: `w${index}`, errorCode: null };
}

/** Returns the kinds of violation that a run shows. */
function kindsOf(change: Partial<Evidence>): string[] {
  const findings = findViolations({ ...cleanRun(), ...change });
  return Object.entries(findings).flatMap(([kind, found]: [string, string[]]) => (found.length > 0 ? [kind] : []));
}

describe('the judge of a chaos run', () => {
  it('a run that kept every promise → no findings', () => {
    assert.deepEqual(kindsOf({}), []);
    assert.ok(isClean(findViolations(cleanRun()), false));
  });

  it('an untimed run: fails for errors on any machine, not for effects of a slow one', () => {
    const nothing = findViolations(cleanRun());
    const slow = { ...nothing, slowFailover: ['SIGTERM: 4100 ms'] };
    assert.deepEqual([isClean(slow, false), isClean(slow, true)], [false, true]);
    assert.equal(isClean({ ...nothing, duplicated: ['1: 2 copies'] }, true), false);
  });

  it('an accepted message not stored, not queued, or marked sent but never received → found', () => {
    const lost: (keyof Findings)[] = ['lost'];
    assert.deepEqual(kindsOf({ messages: [storedOf(0)] }), lost);
    assert.deepEqual(kindsOf({ messages: [storedOf(0), { ...storedOf(1), status: 0, wamid: null }] }), lost);
    assert.deepEqual(kindsOf({ sends: [sendOf(0, 1)] }), lost);
  });

  it('a failed message, or one that the client gave up → no finding', () => {
    const failed = { ...storedOf(1), status: 4, wamid: null, errorCode: 'UNKNOWN_OUTCOME' };
    assert.deepEqual(kindsOf({ messages: [storedOf(0), failed], sends: [sendOf(0, 1)] }), []);
    const unknown = recordOf(1, { outcome: 'unknown', ids: [] });
    assert.deepEqual(kindsOf({ records: [recordOf(0), unknown], messages: [storedOf(0)], sends: [sendOf(0, 1)] }), []);
  });

  it('a message accepted twice by the upstream → found', () => {
    assert.deepEqual(kindsOf({ sends: [sendOf(0, 1), sendOf(1, 2), { ...sendOf(1, 3), wamid: 'w2' }] }), [
      'duplicated',
    ]);
  });

  it('a message that overtook an accepted one → found; without an acknowledgement → ignored', () => {
    const sends = [sendOf(1, 1), sendOf(0, 2)];
    assert.deepEqual(kindsOf({ sends }), ['misordered']);
    assert.deepEqual(kindsOf({ sends, records: [recordOf(0, { outcome: 'unknown', ids: [] }), recordOf(1)] }), []);
  });

  it('every send refused for its speed → found', () => {
    const violation = { kind: 'pair', phoneNumberId: '1', recipient: '2', atMs: 5, limit: 45 } as const;
    assert.deepEqual(kindsOf({ violations: [violation] }), ['overspeed']);
  });

  it('a message above the limit: found only if late arrivals cannot explain it', () => {
    const sendsAt = (...times: number[]) =>
      times.map((arrivedAtMs, index) => ({ ...sendOf(index, index), tag: null, arrivedAtMs }));
    const violation = { kind: 'throughput', phoneNumberId: '1', recipient: '2', atMs: 2_000, limit: 3 } as const;
    const speedOf = (...times: number[]) =>
      findViolations({ ...cleanRun(), sends: sendsAt(...times), violations: [violation] }).overspeed.length;
    assert.equal(speedOf(1_020, 1_400, 1_700), 0);
    assert.equal(speedOf(1_100, 1_400, 1_700), 1);
  });

  it('a message still queued, or held beyond its time → found', () => {
    const messages = [storedOf(0), { ...storedOf(1), status: 0, wamid: null }];
    const sends = [sendOf(0, 1)];
    const queuedUntil = (holdUntilMs: number | null) =>
      kindsOf({ messages, sends, queue: [{ id: 'id1', holdUntilMs }] });
    assert.deepEqual(queuedUntil(null), ['stuck']);
    assert.deepEqual(queuedUntil(END_MS - 60_000), ['stuck']);
    assert.deepEqual(queuedUntil(END_MS + 60_000), []);
  });

  it('a key with two messages, or answered with two ids → found', () => {
    const copy = { ...storedOf(1), id: 'id9' };
    assert.deepEqual(kindsOf({ messages: [storedOf(0), storedOf(1), copy] }), ['keyBroken']);
    const twice = recordOf(1, { ids: ['id1', 'id9'] });
    assert.deepEqual(kindsOf({ records: [recordOf(0), twice], messages: [storedOf(0), storedOf(1), copy] }), [
      'keyBroken',
    ]);
  });

  it("a status behind the upstream's reports, once all are delivered → found", () => {
    const messages = [storedOf(0), { ...storedOf(1), status: 1 }];
    assert.deepEqual(kindsOf({ messages }), ['wrongStatus']);
    assert.deepEqual(kindsOf({ messages, isQuiet: false }), []);
  });

  it('client errors: found only during orderly restarts', () => {
    const attempt = { atMs: 1_000, untilMs: 1_010, port: 1, status: 503, code: 'UNAVAILABLE' };
    const records = [recordOf(0), recordOf(1, { attempts: [attempt] })];
    assert.deepEqual(kindsOf({ records, rollingRestarts: [{ fromMs: 900, toMs: 2_000 }] }), ['clientErrors']);
    assert.deepEqual(kindsOf({ records, rollingRestarts: [{ fromMs: 2_000, toMs: 3_000 }] }), []);
  });

  it('a number that stood still for too long → found', () => {
    assert.deepEqual(kindsOf({ failovers: [{ how: 'SIGKILL', gapMs: 7_900 }] }), []);
    assert.deepEqual(kindsOf({ failovers: [{ how: 'SIGKILL', gapMs: 8_100 }] }), ['slowFailover']);
  });
});
