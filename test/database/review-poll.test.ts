import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { newId } from '../../src/core/ids.ts';
import { requestLooks } from '../../src/templates/follow/poll-queries.ts';
import { ReviewPoll } from '../../src/templates/follow/review-poll.ts';
import { listTemplateIds, replaceTemplates, storeTemplates } from '../../src/templates/queries.ts';
import type { CallResult, ListedTemplate, UpstreamTemplate } from '../../src/upstream/index.ts';
import { openTestDatabase } from '../harness/database.ts';
import { makeEventDays } from '../harness/event-days.ts';
import { createManualClock, type ManualClock } from '../harness/manual-clock.ts';
import { until } from '../harness/tenant.ts';
import { templateNode } from '../harness/upstream-waba.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const db = await openTestDatabase({ after });
await makeEventDays(db);

describe('the poll of open reviews', () => {
  let clock: ManualClock;
  let organizationId: string;
  let wabaId: string;
  /** The upstream's templates, by id. */
  let upstreamTemplates: Map<string, UpstreamTemplate>;
  /** The contents of a listing; the upstream's templates if undefined. */
  let listing: ListedTemplate[] | undefined;
  let calls: string[];
  /** The result of every call, unless null. */
  let failure: CallResult<never> | null;
  /** Delays calls until it resolves. */
  let gate: Promise<void>;
  /** Count of the polls' open statements. */
  let statements = 0;
  let serial = 900;

  beforeEach(async () => {
    clock = createManualClock();
    serial += 1;
    [organizationId, wabaId] = [newId(), `31${serial}`];
    [upstreamTemplates, listing, calls, failure, gate] = [new Map(), undefined, [], null, Promise.resolve()];
    await db.query({ text: 'DELETE FROM template_poll' });
    const organization = "INSERT INTO organization (id, name, created_at) VALUES ($1, 'x', now())";
    await db.query({ text: organization, values: [organizationId] });
    const waba = "INSERT INTO waba (organization_id, waba_id, token_sealed, connected_at) VALUES ($1, $2, '', now())";
    await db.query({ text: waba, values: [organizationId, wabaId] });
  });

  function addTemplate(status: string, name = 'cake_ready'): UpstreamTemplate {
    serial += 1;
    const template = templateNode({ id: String(serial), name: `${name}_${serial}`, language: 'en', status });
    upstreamTemplates.set(template.id, template);
    return template;
  }
  const decide = (template: UpstreamTemplate, status: string) =>
    upstreamTemplates.set(template.id, { ...template, status });

  async function counted<T>(work: () => Promise<T>): Promise<T> {
    statements += 1;
    return await work().finally(() => {
      statements -= 1;
    });
  }

  /** Creates one node's poll. */
  function createPoll(): ReviewPoll {
    const answer = async <T>(call: string, value: T | undefined): Promise<CallResult<T>> => {
      calls.push(call);
      await gate;
      if (failure !== null) return failure;
      if (value !== undefined) return { kind: 'ok', value };
      const provider = { code: 100, error_user_title: 'x', error_user_msg: 'x' };
      return { kind: 'rejected', code: '100', subcode: 33, message: 'x', provider, httpStatus: 400 };
    };
    return new ReviewPoll({
      db: {
        ...db,
        query: (statement) => counted(() => db.query(statement)),
        transaction: (work) => counted(() => db.transaction(work)),
      },
      clock,
      log: pino({ level: 'silent' }),
      accounts: { tokenOf: () => ({ token: 'EAA', version: 1, readAt: null }) },
      upstream: {
        getTemplate: (id) => answer(`get ${id}`, upstreamTemplates.get(id)),
        async *listTemplates() {
          yield await answer('list', listing ?? [...upstreamTemplates.values()]);
        },
      },
    });
  }
  const connect = () =>
    db.transaction(async (tx) => {
      const known = await listTemplateIds(tx, organizationId, wabaId);
      await replaceTemplates(tx, organizationId, wabaId, [...upstreamTemplates.values()], clock.now(), known);
    });
  const statusOf = async ({ id }: UpstreamTemplate) => {
    const text = 'SELECT status FROM template WHERE id = $1';
    const [row] = await db.query<{ status: string }>({ text, values: [id] });
    return row?.status;
  };
  const readPoll = async () => {
    const text = 'SELECT * FROM template_poll WHERE waba_id = $1';
    type Row = { due_at: Date; looks: number; wanted_ids: string[]; fully_read_at: Date };
    const [row] = await db.query<Row>({ text, values: [wabaId] });
    assert.ok(row);
    return { ...row, dueInMs: row.due_at.getTime() - clock.now() };
  };
  /** Advances time second by second until `done`, and lets the polls finish each second's work. */
  async function runUntil(what: string, done: () => Promise<boolean> | boolean): Promise<void> {
    for (let second = 0; second < 2 * 86_400; second += 1) {
      clock.advance(1_000);
      do {
        for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
      } while (statements > 0);
      if (await done()) return;
    }
    assert.fail(`two days have passed without: ${what}`);
  }
  async function withPolls(count: number, work: (polls: ReviewPoll[]) => Promise<void>): Promise<void> {
    const polls = Array.from({ length: count }, createPoll);
    for (const poll of polls) poll.start();
    try {
      await work(polls);
    } finally {
      await Promise.all(polls.map((poll) => poll.stop()));
    }
  }

  it('asks about each open review alone, and ever more rarely', async () => {
    const open = addTemplate('PENDING');
    addTemplate('APPROVED');
    await connect();
    await withPolls(1, async () => {
      const askedAtMs: number[] = [];
      await runUntil('four looks', () => {
        if (calls.length > askedAtMs.length) askedAtMs.push(clock.now());
        return askedAtMs.length === 4;
      });
      assert.deepEqual(new Set(calls), new Set([`get ${open.id}`]));
      const pauses = askedAtMs.slice(1).map((at, index) => at - (askedAtMs[index] ?? 0));
      assert.ok(
        pauses.every((pause, index) => index === 0 || pause > (pauses[index - 1] ?? 0)),
        String(pauses),
      );
      decide(open, 'APPROVED');
      await runUntil('the approval is known', async () => (await statusOf(open)) === 'APPROVED');
    });
    const before = calls.length;
    await withPolls(1, async () => {
      for (let minute = 0; minute < 30; minute += 1) {
        clock.advance(MINUTE_MS);
        await new Promise(setImmediate);
      }
    });
    assert.equal(calls.length, before, 'nothing is left to ask about');
  });

  it('runs on one of several nodes, and on another when that node dies', async () => {
    const open = addTemplate('PENDING');
    await connect();
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const dead = createPoll();
    dead.start();
    await runUntil('one node asks', () => calls.length > 0);
    const stopping = dead.stop();
    clock.advance(500);
    await withPolls(3, async () => {
      for (let second = 0; second < 60; second += 1) {
        clock.advance(1_000);
        await new Promise(setImmediate);
      }
      assert.equal(calls.length, 1, 'the others leave it alone');
      gate = Promise.resolve();
      decide(open, 'REJECTED');
      await runUntil('another node has asked', async () => (await statusOf(open)) === 'REJECTED');
      assert.equal(calls.length, 2);
    });
    const left = await readPoll();
    resolve();
    await stopping;
    assert.deepEqual(await readPoll(), left, 'one that lives on says nothing of a turn that is no longer its own');
  });

  it('reads all at once if many reviews are open', async () => {
    for (let count = 0; count < 12; count += 1) addTemplate('PENDING');
    await connect();
    await withPolls(1, () => runUntil('a look', () => calls.length > 0));
    assert.deepEqual(calls, ['list']);
  });

  it('reads everything once a day, and marks missing templates as deleted', async () => {
    const [kept, gone] = [addTemplate('APPROVED'), addTemplate('APPROVED')];
    await connect();
    upstreamTemplates.delete(gone.id);
    decide(kept, 'DISABLED');
    await withPolls(1, async () => {
      clock.advance(24 * HOUR_MS - MINUTE_MS);
      await new Promise(setImmediate);
      assert.deepEqual(calls, []);
      await runUntil('the daily reading', async () => (await statusOf(gone)) === 'DELETED');
    });
    assert.deepEqual([calls, await statusOf(kept)], [['list'], 'DISABLED']);
    const { dueInMs } = await readPoll();
    assert.ok(dueInMs > 23 * HOUR_MS && dueInMs <= 24 * HOUR_MS, String(dueInMs));
  });

  it('continues to ask about a template that the daily read finds paused', async () => {
    const template = addTemplate('APPROVED');
    await connect();
    decide(template, 'PAUSED');
    await withPolls(1, async () => {
      clock.advance(24 * HOUR_MS);
      await runUntil('the daily reading', async () => (await statusOf(template)) === 'PAUSED');
      const foundAtMs = clock.now();
      decide(template, 'APPROVED');
      await runUntil('the end of the pause', async () => (await statusOf(template)) === 'APPROVED');
      assert.ok(clock.now() - foundAtMs <= HOUR_MS, `${clock.now() - foundAtMs} ms`);
    });
  });

  it('does not mark templates as deleted after an incomplete listing', async () => {
    const [partial, gone] = [addTemplate('APPROVED'), addTemplate('APPROVED')];
    await connect();
    const readDaily = async (listed: ListedTemplate[]) => {
      listing = listed;
      clock.advance(25 * HOUR_MS);
      await withPolls(1, () => runUntil('the daily reading', () => calls.includes('list')));
      calls = [];
    };
    await readDaily([{ id: null, name: null }]);
    assert.deepEqual([await statusOf(partial), await statusOf(gone)], ['APPROVED', 'APPROVED']);
    await readDaily([{ id: partial.id, name: null }]);
    assert.deepEqual([await statusOf(partial), await statusOf(gone)], ['APPROVED', 'DELETED']);
  });

  it('resolves a template unknown upstream by a complete read', async () => {
    const [open, other] = [addTemplate('PENDING'), addTemplate('APPROVED')];
    await connect();
    upstreamTemplates.delete(open.id);
    await withPolls(1, () => runUntil('it is known to be gone', async () => (await statusOf(open)) === 'DELETED'));
    assert.deepEqual(calls, [`get ${open.id}`, 'list']);
    assert.equal(await statusOf(other), 'APPROVED');
  });

  it('concludes nothing from a failed look, and waits as long as the upstream asks', async () => {
    const open = addTemplate('PENDING');
    await connect();
    failure = { kind: 'throttled', scope: 'waba', code: '80008', retryAfterMs: 2 * HOUR_MS } as CallResult<never>;
    await withPolls(1, () => runUntil('a look', async () => (await readPoll()).dueInMs > HOUR_MS));
    assert.equal(await statusOf(open), 'PENDING');
    assert.equal(calls.length, 1);
  });

  it('reads a requested template, and takes its name from the former one', async () => {
    const old = addTemplate('APPROVED');
    await connect();
    upstreamTemplates.delete(old.id);
    const anew = { ...addTemplate('APPROVED'), name: old.name };
    upstreamTemplates.set(anew.id, anew);
    clock.advance(1_000);
    const request = { organizationId, wabaId, looks: 0, dueAtMs: clock.now(), templateId: anew.id };
    await requestLooks(db, [request, request], clock.now());
    await withPolls(1, () => runUntil('it is known', async () => (await statusOf(anew)) === 'APPROVED'));
    assert.deepEqual(calls, [`get ${anew.id}`]);
    assert.equal(await statusOf(old), 'DELETED');
    await until('the wish is fulfilled', async () => ((await readPoll()).wanted_ids.length === 0 ? true : undefined));
  });

  it('keeps requests that arrive during a look', async () => {
    const [open, later] = [addTemplate('PENDING'), addTemplate('APPROVED')];
    await db.transaction((tx) => storeTemplates(tx, { organizationId, wabaId }, [open], clock.now()));
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    await withPolls(1, async () => {
      await runUntil('a look is under way', () => calls.length === 1);
      const request = { organizationId, wabaId, looks: 0, dueAtMs: clock.now(), templateId: later.id };
      await requestLooks(db, [request], clock.now());
      resolve();
      await runUntil('the other one is known', async () => (await statusOf(later)) === 'APPROVED');
    });
  });

  describe('after the clock was ahead and set back', () => {
    /** Runs a daily read by a clock that is ahead by `aheadMs`, and then sets the clock back. */
    async function readAhead(aheadMs: number): Promise<void> {
      const right = clock;
      clock = createManualClock(right.now() + aheadMs - 24 * HOUR_MS);
      await connect();
      clock.advance(24 * HOUR_MS);
      await withPolls(1, () => runUntil('a reading by the clock that is ahead', () => calls.includes('list')));
      [clock, calls] = [right, []];
    }

    it('takes turns as before, and no more of them', async () => {
      addTemplate('APPROVED');
      await readAhead(30 * 24 * HOUR_MS);
      await withPolls(1, async () => {
        await runUntil('a turn is set', async () => (await readPoll()).dueInMs <= 24 * HOUR_MS);
        assert.deepEqual(calls, []);
        clock.advance(24 * HOUR_MS);
        await runUntil('the daily reading', async () => (await readPoll()).dueInMs > 23 * HOUR_MS);
        clock.advance(23 * HOUR_MS);
        await runUntil('the next is near', async () => (await readPoll()).dueInMs < HOUR_MS);
      });
      assert.deepEqual(calls, ['list']);
    });

    it('looks at once at requested templates', async () => {
      const wanted = addTemplate('APPROVED');
      await readAhead(12 * HOUR_MS);
      decide(wanted, 'DISABLED');
      const request = { organizationId, wabaId, looks: 0, dueAtMs: clock.now(), templateId: wanted.id };
      await requestLooks(db, [request], clock.now());
      const askedAtMs = clock.now();
      await withPolls(1, () => runUntil('it is read', async () => (await statusOf(wanted)) === 'DISABLED'));
      assert.ok(clock.now() - askedAtMs <= 2 * MINUTE_MS, `${clock.now() - askedAtMs} ms`);
    });

    it('stores the templates it reads, and marks missing ones as deleted', async () => {
      const [kept, gone, named] = [addTemplate('APPROVED'), addTemplate('APPROVED'), addTemplate('APPROVED')];
      await readAhead(30 * 24 * HOUR_MS);
      decide(kept, 'DISABLED');
      for (const { id } of [gone, named]) upstreamTemplates.delete(id);
      const anew = { ...addTemplate('APPROVED'), name: named.name };
      upstreamTemplates.set(anew.id, anew);
      await connect();
      const statuses = await Promise.all([kept, gone, named, anew].map(statusOf));
      assert.deepEqual(statuses, ['DISABLED', 'DELETED', 'DELETED', 'APPROVED']);
    });
  });

  it('stays far below the call budget, however many requests arrive', async () => {
    const open = addTemplate('PENDING');
    await connect();
    await withPolls(1, async () => {
      const endMs = clock.now() + HOUR_MS;
      while (clock.now() < endMs) {
        const request = { organizationId, wabaId, looks: 0, dueAtMs: clock.now(), templateId: open.id };
        await requestLooks(db, [request], clock.now());
        clock.advance(10_000);
        await until('the poll is idle', async () => ((await readPoll()).dueInMs < 9 * MINUTE_MS ? true : undefined));
      }
    });
    assert.ok(calls.length >= 30 && calls.length <= 71, `${calls.length} calls in an hour`);
  });
});
