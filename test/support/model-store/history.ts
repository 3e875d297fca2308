import assert from 'node:assert/strict';
import type { ModelStore } from '../../../sim/store/model-store.ts';
import { listNumbersById } from '../../../src/accounts/queries.ts';
import { markCancelled, markOneCancelled } from '../../../src/cancellation/queries.ts';
import { digestUuid, newId } from '../../../src/core/ids.ts';
import type { Random } from '../../../src/core/seeded-random.ts';
import type { Queryable } from '../../../src/database/database.ts';
import { listNumbersBehindFormer } from '../../../src/dispatch/numbers/former-attempt-queries.ts';
import { recordCompletions, recordPostponements } from '../../../src/dispatch/outcomes/result-queries.ts';
import { listPairDebt, savePairDebt } from '../../../src/dispatch/queue/pair-debt-queries.ts';
import { listCancelled, listFlowHeads, listHeldRows } from '../../../src/dispatch/queue/queue-queries.ts';
import type { QueueRow } from '../../../src/dispatch/queue/queue-row.ts';
import { journalDispatch } from '../../../src/dispatch/sending/journal-queries.ts';
import {
  findSettlingStatuses,
  holdJournaled,
  lengthenHolds,
  listGone,
} from '../../../src/dispatch/unknown-outcomes/unknown-outcome-queries.ts';
import { beat, releaseLeases, takeShards } from '../../../src/leases/lease-queries.ts';
import { findSettled } from '../../../src/messages/queries.ts';
import { type AcceptedMessage, insertAccepted } from '../../../src/messages/send/accept-queries.ts';
import { listRecordedEarly } from '../../../src/messages/statuses/early-status-queries.ts';
import { insertOrganization } from '../../../src/organizations/queries.ts';
import { readUsage } from '../../../src/organizations/usage/usage-queries.ts';
import {
  AccountHistory,
  FIRST,
  NO_MARKETING,
  ORGANIZATION,
  phoneNumberOf,
  SHARDS,
  sorted,
  wabaOf,
} from './account-history.ts';
import { DEFAULTS, SETTINGS } from './organization-settings.ts';
import { PeopleHistory } from './people-history.ts';
import { StatusHistory } from './status-history.ts';

const NODES = [newId(), newId()];

/** Operations on both databases, drawn from the seed and the answers so far. */
export class History {
  readonly #random: Random;
  readonly #messages: (AcceptedMessage & { seq: number })[] = [];
  readonly #statuses: StatusHistory;
  readonly #epochs = new Map<string, number>();
  readonly #accounts: AccountHistory;
  readonly #people: PeopleHistory;
  /** Times at which held messages may have been sent. */
  readonly #attemptedAtMs: number[] = [];
  #batches = 0;
  constructor(random: Random, model: Queryable) {
    this.#random = random;
    this.#accounts = new AccountHistory(random, model);
    this.#people = new PeopleHistory(random);
    this.#statuses = new StatusHistory(random, this.#people);
  }
  /** Connects the first numbers in both databases. */
  async connectAll(real: Queryable, { tables }: ModelStore): Promise<void> {
    await insertOrganization(real, { id: ORGANIZATION, ...SETTINGS, ...DEFAULTS, createdAt: new Date() });
    tables.organizations.set(ORGANIZATION, {
      ...{ id: ORGANIZATION, ...SETTINGS, plan: undefined },
      ...{ marketingMessages: 'auto', marketingChangedAtMs: null },
    });
    for (const shard of SHARDS) {
      await this.#accounts.connect(shard)(real);
      const [number] = await listNumbersById(real, [shard]);
      assert.ok(number !== undefined);
      tables.numbers.set(shard, { ...number, parkedCode: null, releasedAtMs: null });
      const wabaId = wabaOf(shard);
      tables.wabas.set(wabaId, {
        organizationId: ORGANIZATION,
        wabaId,
        ...this.#accounts.knownOf(wabaId),
        parkedCode: null,
        ...NO_MARKETING,
      });
    }
  }

  /** Returns the next operation; its answer must be the same in both databases. */
  next(): (db: Queryable) => Promise<unknown> {
    const acts = [
      () => this.#accept(),
      () => this.#accept(),
      () => this.#lease(),
      () => this.#journal(),
      () => this.#journal(),
      () => this.#owe(),
      () => this.#complete(),
      () => this.#postpone(),
      () => this.#lengthen(),
      () => this.#hold(),
      () => this.#statuses.report(),
      () => this.#statuses.report(),
      () => this.#statuses.applyEarly(),
      () => this.#settle(),
      () => this.#cancel(),
      () => this.#accounts.park(),
      () => this.#accounts.park(),
      () => this.#accounts.change(),
      () => this.#accounts.forbidMarketing(),
      () => this.#people.name(),
      () => this.#people.move(),
      () => this.#people.open(),
    ];
    return this.#random.pick(acts)();
  }

  /** Returns the visible state; times that depend on the databases' own clocks are returned separately. */
  async look(db: Queryable): Promise<{ seen: unknown; timesMs: number[] }> {
    const queue = await listFlowHeads(db, SHARDS, 1_000);
    const held = await listHeldRows(db, SHARDS);
    const waiting = this.#messages.map(({ id }) => ({ organizationId: ORGANIZATION, messageId: id }));
    const settled = await findSettled(db, waiting, Date.now());
    const debts = (await listPairDebt(db, SHARDS)).sort(
      (a, b) => a.numberId - b.numberId || Number(a.contact) - Number(b.contact),
    );
    const seen = {
      queue: bySeq(queue).map(withoutTimes),
      held: bySeq(held).map(withoutTimes),
      cancelled: bySeq(await listCancelled(db, SHARDS, 1_000)).map(withoutTimes),
      behindFormer: (await listNumbersBehindFormer(db, this.#accounts.numberIds())).sort(),
      recordedEarly: (await listRecordedEarly(db, FIRST, 1_000)).wamidDigests.sort(),
      settled: settled.sort((one, other) => (one.messageId < other.messageId ? -1 : 1)),
      usage: await readUsage(db, [ORGANIZATION], Date.now()),
      ...(await this.#accounts.look(db)),
      ...(await this.#people.look(db)),
      debts: debts.map(({ freeAtMs: _, ...pair }) => pair),
    };
    const holdsMs = bySeq(queue).flatMap(({ holdUntilMs, attemptedAtMs }) => [holdUntilMs ?? 0, attemptedAtMs ?? 0]);
    return { seen, timesMs: [...holdsMs, ...debts.map(({ freeAtMs }) => freeAtMs)] };
  }

  #accept() {
    const random = this.#random;
    const nowMs = Date.now();
    const batch = Array.from({ length: random.between(1, 4) }, () => this.#message(nowMs));
    const nodeId = random.pick(NODES);
    const journal = random.chance(0.5) ? this.#acceptanceJournal(nodeId, batch) : undefined;
    const scope = { nodeId, nowMs, journal };
    return async (db: Queryable) => {
      const places = await insertAccepted(db, scope, batch);
      for (const message of batch) {
        const seq = places.get(message.id)?.seq;
        if (seq !== undefined && !this.#messages.some(({ id }) => id === message.id))
          this.#messages.push({ ...message, seq });
      }
      return sorted(places);
    };
  }

  #acceptanceJournal(owner: string, batch: readonly AcceptedMessage[]) {
    this.#batches += 1;
    const epochs = this.#epochsOf(owner, batch);
    return { batch: this.#batches, epochs, atMs: Date.now() - this.#random.between(0, 60_000), journaledAtMs: 0 };
  }

  #epochsOf(owner: string, messages: readonly AcceptedMessage[]): Map<number, number> {
    const shards = [...new Set(messages.map(({ shard }) => shard))];
    return new Map(shards.map((shard) => [shard, this.#epochs.get(`${owner}/${shard}`) ?? 1]));
  }

  #message(nowMs: number): AcceptedMessage {
    const random = this.#random;
    const shard = random.pick(SHARDS);
    const contact = `1555100000${random.between(0, 4)}`;
    const userId = this.#people.userId();
    const keyDigest = digestUuid(String(random.between(0, 30)));
    return {
      ...{ id: newId(), organizationId: ORGANIZATION, numberId: shard, shard, flowId: random.between(4, 8), contact },
      ...{ wabaId: wabaOf(shard), recipient: userId === undefined ? contact : undefined, userId },
      ...{ type: 'template', templateName: 'offer', templateLanguage: 'en', category: 'utility' },
      ...{
        priceMicros: random.pick([0, 5_000]),
        country: random.pick(['US', '']),
        prices: random.chance(0.5) ? undefined : '{"marketing":70,"authentication_international":8,"*":9}',
        body: '{}',
        callbackData: random.chance(0.4) ? undefined : random.pick(['a', 'b']),
      },
      ...{ apiKeyId: NODES[0] ?? '', expiresAtMs: nowMs + 60_000, traceparent: undefined },
      idempotency: random.chance(0.4) ? { keyDigest, fingerprint: keyDigest } : undefined,
    };
  }

  #lease() {
    const random = this.#random;
    const [owner, seizes, takes] = [random.pick(NODES), random.chance(0.5), random.chance(0.6)];
    if (random.chance(0.3)) return (db: Queryable) => releaseLeases(db, owner, SHARDS);
    return async (db: Queryable) => {
      const works = [{ work: 'dispatch', firstShard: 0, shardCount: 64, isLeaving: false }] as const;
      const { held } = await beat(db, { nodeId: owner, startedAtMs: 0, servesApi: true, works });
      if (takes) held.push(...(await takeShards(db, owner, 'dispatch', SHARDS, seizes)));
      for (const { shard, epoch } of held) this.#epochs.set(`${owner}/${shard}`, epoch);
      return held.map(({ shard, epoch }) => ({ shard, epoch })).sort((a, b) => a.shard - b.shard);
    };
  }

  #journal() {
    const random = this.#random;
    const owner = random.pick(NODES);
    this.#batches += 1;
    const batch = this.#batches;
    const messages = this.#some(3);
    const epochs = this.#epochsOf(owner, messages);
    const entries = messages.map((message, index) => ({
      ...{ ...message, messageId: message.id, needsBody: random.chance(0.5), takesLarge: true },
      // A pair has one message in flight, so a batch has no two of one pair.
      pairFreeAtMs: index === 0 && random.chance(0.7) ? this.#debtFreeAtMs() : null,
    }));
    const atMs = Date.now() - random.between(0, 60_000);
    return async (db: Queryable) => {
      if (entries.length === 0) return undefined;
      const journaled = await journalDispatch(db, { owner, batch, epochs }, entries, Date.now(), atMs);
      return journaled === undefined ? 'fenced' : sorted(journaled);
    };
  }

  #owe() {
    const random = this.#random;
    const debt = { numberId: random.pick(SHARDS), contact: `1555100000${random.between(0, 4)}` };
    const debts = [{ ...debt, freeAtMs: this.#debtFreeAtMs() }];
    return (db: Queryable) => savePairDebt(db, debts);
  }

  #debtFreeAtMs(): number {
    return Date.now() + this.#random.between(1, 30) * 60_000;
  }

  #complete() {
    const random = this.#random;
    const owner = random.pick(NODES);
    const completions = this.#some(3).map((message) => {
      const wamid = this.#statuses.wamid(random.chance(0.5));
      const failed = { kind: 'failed' as const, errorCode: '131026', errorMessage: 'Undeliverable' };
      const word = random.pick([{}, { upstreamStatus: 'accepted' }, { upstreamStatus: 'held_for_quality_assessment' }]);
      const sent = { kind: 'sent' as const, wamid, ...word };
      const result = random.chance(0.3) ? failed : sent;
      return { ...message, messageId: message.id, atMs: Date.now(), result };
    });
    const wamids = completions.map(({ result }) => ('wamid' in result ? result.wamid : newId()));
    const isOdd = new Set(wamids).size < wamids.length;
    // A status can settle a held outcome while the answer itself waits to be recorded.
    if (random.chance(0.5)) completions.push(...completions.slice(0, 1));
    const finished = [{ shard: random.pick(SHARDS), batch: random.between(1, this.#batches + 1) }];
    // The upstream never assigns one wamid to two messages of a batch.
    return async (db: Queryable) =>
      isOdd ? undefined : (await recordCompletions(db, owner, completions, finished, Date.now())).sort();
  }

  #postpone() {
    const random = this.#random;
    const nowMs = Date.now();
    const postponements = this.#some(3).map((message) => {
      const isHeld = random.chance(0.5);
      const attemptedAtMs = nowMs - random.between(0, 600_000);
      if (isHeld) this.#attemptedAtMs.push(attemptedAtMs);
      return {
        ...{ ...message, messageId: message.id },
        ...{ attempt: random.between(0, 3), unknownCount: random.between(0, 2) },
        ...{ dueAtMs: isHeld ? null : nowMs + 1_000, holdUntilMs: isHeld ? nowMs + 30_000 : null },
        attemptedAtMs: isHeld ? attemptedAtMs : null,
        undoneAtMs: isHeld ? undefined : this.#attemptedAtMs.at(-random.between(1, 10)),
      };
    });
    const owner = random.pick(NODES);
    return (db: Queryable) => recordPostponements(db, owner, postponements);
  }

  #lengthen() {
    const random = this.#random;
    const holdUntilMs = Date.now() + random.between(0, 60_000);
    const holds = this.#some(3).map((message) => {
      return { ...message, messageId: message.id, unknownCount: random.between(0, 2), holdUntilMs };
    });
    return (db: Queryable) => lengthenHolds(db, holds);
  }

  #hold() {
    const random = this.#random;
    const nowMs = Date.now();
    const owner = random.pick(NODES);
    const shards = SHARDS.filter(() => random.chance(0.5)).map((shard) => {
      return { shard, epoch: this.#epochs.get(`${owner}/${shard}`) ?? 1, quietMs: null };
    });
    const batches = random.between(0, this.#batches + 1);
    const platformNowMs = nowMs - random.between(0, 60_000);
    const inFlight = Array.from({ length: 500 }, (_, index) => index + 1).filter(() => random.chance(0.5));
    return (db: Queryable) => holdJournaled(db, { owner, shards, batches, inFlight }, nowMs, platformNowMs);
  }

  #settle() {
    const messages = this.#some(6);
    const sinceMs = Date.now() - 30_000;
    const questions = messages.map((message) => ({
      ...message,
      ...{ messageId: message.id, phoneNumberId: phoneNumberOf(message.shard), sinceMs },
    }));
    return async (db: Queryable) => {
      // Among several equally old statuses, any may be returned.
      const settled = await findSettlingStatuses(db, questions);
      return [settled.map(({ seq }) => seq), (await listGone(db, questions)).sort((a, b) => a - b)];
    };
  }

  #cancel() {
    const random = this.#random;
    const [message] = this.#some(1);
    const maybe = <Value>(value: Value) => (random.chance(0.3) ? value : undefined);
    const isOne = random.chance(0.5);
    const search = {
      organizationId: ORGANIZATION,
      after: { numberId: random.pick(SHARDS), flowId: random.between(3, 7), seq: random.between(0, 20) },
      ...{ contacts: maybe([`1555100000${random.between(0, 4)}`]), type: maybe(random.pick(['template', 'text'])) },
      ...{ template: maybe(random.pick(['offer', 'other'])), callbackData: maybe(random.pick(['a', 'b'])) },
      ...{ from: new Date(0), to: new Date(Date.now() + 60_000), scanMax: 1_000 },
    };
    return async (db: Queryable) => {
      if (message === undefined || !isOne) return await markCancelled(db, search);
      return await markOneCancelled(db, message.numberId, [message.contact], message.id);
    };
  }

  #some(most: number): (AcceptedMessage & { seq: number })[] {
    if (this.#messages.length === 0) return [];
    const recent = this.#messages.slice(-12);
    return [...new Set(Array.from({ length: this.#random.between(1, most) }, () => this.#random.pick(recent)))];
  }
}

function bySeq(rows: QueueRow[]): QueueRow[] {
  return rows.toSorted((a, b) => a.seq - b.seq);
}

function withoutTimes({ holdUntilMs, attemptedAtMs, ...row }: QueueRow) {
  return { ...row, isHeld: holdUntilMs !== null, isAttempted: attemptedAtMs !== null };
}
