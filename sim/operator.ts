import type { Random } from '../src/core/seeded-random.ts';
import type { Coverage } from './coverage.ts';
import { type EventLoop, recur } from './event-loop.ts';
import { ANYTHING, type Platform, type Refusal } from './platform.ts';
import type { SimulatedServer } from './store/simulated-server.ts';
import { tokenOf } from './store/statements/account-statements.ts';
import type { NumberRow, WabaRow } from './store/tables.ts';
import type { Trace } from './trace.ts';
import type { Operations } from './weather.ts';

export interface OperatorOptions {
  loop: EventLoop;
  random: Random;
  coverage: Coverage;
  trace: Trace;
  operations: Operations;
  server: SimulatedServer;
  platform: Platform;
  /** Every node hears of a change within this, and holds to it, ms; infinite where one may not. */
  heardWithinMs: number;
}

/** What the platform says about when to come back: mostly nothing; a penalty (131064) lasts longest. */
const RETRY_AFTER_MS = [null, null, null, null, null, 2_000, 30_000, 30_000, 900_000];
/** An operator looks after what is parked this often. */
const LOOK_MS = 2_000;
/** What the platform may allow a number, messages per second. */
const LEVELS = [5, 20, 80];
/** So long after it has changed the platform tells of a level. */
const TOLD_MS_MAX = 2_000;
/** What was heard is in force within this, what went out before is more than a second ago. */
const IN_FORCE_MS = 3_000;

/**
 * What operators do, and what they have to do something about: numbers are paused, slowed down and sped up; accounts are disconnected
 * and connected again; the platform allows numbers more or less, and refuses a token, an account or a number until it is put right, and
 * then their queue is let go on.
 */
export class Operator {
  readonly #options: OperatorOptions;
  /** By WABA: what puts right what the platform refuses of it. */
  readonly #troubles = new Map<string, () => void>();
  /** The last token's version. */
  #tokens = 1;
  #isCalm = false;

  constructor(options: OperatorOptions) {
    this.#options = options;
    const { operations } = options;
    const chances = { ...options, isOver: () => this.#isCalm };
    recur(chances, operations.pauseEveryMs, () => this.#pause(operations.pauseEveryMs));
    recur(chances, operations.paceEveryMs, () => this.#changePace());
    recur(chances, operations.levelEveryMs, () => this.#changeLevel());
    recur(chances, operations.troubleEveryMs, () => this.#makeTrouble(operations.troubleEveryMs));
    if (operations.disconnectAtMs !== Number.POSITIVE_INFINITY) this.#disconnect(operations.disconnectAtMs);
    this.#lookAfter();
  }

  /** Nothing new happens; what is stopped goes on, and what is parked is put right. */
  calm(): void {
    this.#isCalm = true;
    for (const end of [...this.#troubles.values()]) end();
    for (const { phoneNumberId } of this.#numbers())
      this.#changeNumber(phoneNumberId, { paused: false, messagesPerSecond: this.#levelOf(phoneNumberId) });
  }

  #pause(meanMs: number): void {
    const { loop, random, coverage } = this.#options;
    const number = random.pick(this.#numbers());
    if (number.paused || number.releasedAtMs !== null) return;
    coverage.hit('number paused');
    this.#changeNumber(number.phoneNumberId, { paused: true });
    loop.in(random.next() * 2 * meanMs, () => this.#changeNumber(number.phoneNumberId, { paused: false }));
  }

  #changePace(): void {
    const { random, coverage } = this.#options;
    const number = random.pick(this.#numbers());
    const messagesPerSecond = this.#levelOf(number.phoneNumberId);
    const pace = random.pick([0.05, random.between(1, messagesPerSecond), messagesPerSecond]);
    if (pace !== number.messagesPerSecond)
      coverage.hit(pace < number.messagesPerSecond ? 'number slowed down' : 'number sped up');
    this.#changeNumber(number.phoneNumberId, { messagesPerSecond: pace });
  }

  /** The platform allows a number more or less from now on, and tells so a moment later. */
  #changeLevel(): void {
    const { loop, random, coverage, trace, platform, heardWithinMs } = this.#options;
    const { phoneNumberId } = random.pick(this.#numbers());
    const level = random.pick(LEVELS);
    const isLess = level < this.#levelOf(phoneNumberId);
    coverage.hit(isLess ? 'level of a number lowered' : 'level of a number raised');
    trace.note(`the platform allows ${phoneNumberId} ${level}/s`);
    platform.referee.setLevel(phoneNumberId, level);
    const tellMs = random.next() * TOLD_MS_MAX;
    if (isLess) platform.referee.pardon(phoneNumberId, loop.nowMs + tellMs + heardWithinMs + IN_FORCE_MS);
    loop.in(tellMs, () => this.#changeNumber(phoneNumberId, { messagesPerSecond: this.#levelOf(phoneNumberId) }));
  }

  #levelOf(phoneNumberId: string): number {
    return this.#options.platform.referee.levelOf(phoneNumberId);
  }

  /** Releases the numbers of one organization's account; what waits for them ends. Mostly somebody connects it again. */
  #disconnect(atMs: number): void {
    const { loop, random, coverage, platform, server } = this.#options;
    const { wabaId } = random.pick(this.#numbers());
    loop.in(atMs, () => {
      coverage.hit('account disconnected');
      for (const { phoneNumberId } of this.#numbersOf(wabaId))
        platform.referee.pardon(phoneNumberId, Number.POSITIVE_INFINITY);
      const releasedAtMs = server.store.nowMs();
      const organizationId = this.#waba(wabaId)?.organizationId;
      this.#changeWaba(wabaId, null, () => ({ releasedAtMs, registered: false, paused: false, parkedCode: null }));
      const next = random.pick([...server.store.tables.organizations.keys()]);
      if (!random.chance(0.8)) return;
      loop.in(random.next() * 4_000, () => {
        coverage.hit(next === organizationId ? 'account connected again' : 'account connected by another organization');
        this.#connect(wabaId, next);
      });
    });
  }

  #connect(wabaId: string, organizationId: string): void {
    const { trace, platform, server } = this.#options;
    this.#tokens += 1;
    trace.note(`account ${wabaId} is connected by ${organizationId}`);
    const known = { tokenVersion: this.#tokens, readAtMs: server.store.nowMs() };
    const waba: WabaRow = { organizationId, wabaId, ...known, parkedCode: null };
    const numberOf = ({ phoneNumberId }: NumberRow) => ({
      messagesPerSecond: this.#levelOf(phoneNumberId),
      registered: !platform.refuses(phoneNumberId),
    });
    this.#commit('admin_connect_waba', [waba, numberOf]);
  }

  /** Has the platform refuse what is sent with a token, from an account, from a number or at all, until that is over or put right. */
  #makeTrouble(meanMs: number): void {
    const { loop, random, coverage, platform } = this.#options;
    const { wabaId, phoneNumberId } = random.pick(this.#numbers());
    const waba = this.#waba(wabaId);
    if (waba === undefined || this.#troubles.has(wabaId)) return;
    const throttle = { kind: 'throttled', message: null, retryAfterMs: random.pick(RETRY_AFTER_MS) } as const;
    const block = { kind: 'blocked', message: 'Refused.' } as const;
    const [refused, refusal] = random.pick<[string, Refusal]>([
      [tokenOf(wabaId, waba.tokenVersion), { ...block, scope: 'credential', code: '190' }],
      [wabaId, { ...block, scope: 'waba', code: '131031' }],
      [phoneNumberId, { ...block, scope: 'number', code: '133010' }],
      [wabaId, { ...throttle, scope: 'waba', code: '80007' }],
      [ANYTHING, { ...throttle, scope: 'app', code: '4' }],
    ]);
    if (refusal.kind === 'blocked') coverage.hit(`${refusal.scope} blocked`);
    platform.refuse(refused, refusal);
    const isForGood = refusal.scope === 'credential';
    const end = () => {
      if (!this.#troubles.delete(wabaId)) return;
      if (!isForGood) platform.allow(refused);
      if (refusal.kind === 'blocked') this.#read(wabaId, { isTokenNew: isForGood });
    };
    this.#troubles.set(wabaId, end);
    loop.in(random.next() * 2 * meanMs, end);
  }

  /** Some try too early. What is refused late parks nothing once it is put right, so nobody looks after that. */
  #lookAfter(): void {
    const { loop, random, server } = this.#options;
    loop.in(LOOK_MS, () => {
      for (const { wabaId, parkedCode } of server.store.tables.wabas.values()) {
        const isParked = parkedCode !== null || this.#numbersOf(wabaId).some((row) => row.parkedCode !== null);
        if (isParked && this.#troubles.has(wabaId) && random.chance(0.1)) this.#read(wabaId, { isTokenNew: false });
      }
      this.#lookAfter();
    });
  }

  /** Reads an account again, or connects it with a new token: what was parked goes on. */
  #read(wabaId: string, { isTokenNew }: { isTokenNew: boolean }): void {
    const { coverage, platform, server } = this.#options;
    const waba = this.#waba(wabaId);
    if (waba === undefined || (!isTokenNew && platform.refuses(tokenOf(wabaId, waba.tokenVersion)))) return;
    coverage.hit(isTokenNew ? 'token replaced' : 'account read again');
    if (isTokenNew) this.#tokens += 1;
    const tokenVersion = isTokenNew ? this.#tokens : waba.tokenVersion;
    this.#changeWaba(
      wabaId,
      { tokenVersion, readAtMs: server.store.nowMs(), parkedCode: null },
      ({ phoneNumberId }) => ({
        registered: !platform.refuses(phoneNumberId),
        parkedCode: null,
      }),
    );
  }

  #numbers(): NumberRow[] {
    return [...this.#options.server.store.tables.numbers.values()];
  }

  #numbersOf(wabaId: string): NumberRow[] {
    return this.#numbers().filter((row) => row.wabaId === wabaId && row.releasedAtMs === null);
  }

  #waba(wabaId: string): WabaRow | undefined {
    return this.#options.server.store.tables.wabas.get(wabaId);
  }

  #changeNumber(phoneNumberId: string, change: Partial<NumberRow>): void {
    this.#options.trace.note(`number ${phoneNumberId} gets ${JSON.stringify(change)}`);
    this.#commit('admin_change_number', [phoneNumberId, change]);
  }

  #changeWaba(wabaId: string, change: Partial<WabaRow> | null, ofNumber: (row: NumberRow) => Partial<NumberRow>): void {
    this.#options.trace.note(`account ${wabaId} gets ${JSON.stringify(change)}`);
    this.#commit('admin_change_waba', [wabaId, change, ofNumber]);
  }

  /** In a transaction that waits for whoever writes the same. */
  #commit(name: string, values: unknown[]): void {
    const { store } = this.#options.server;
    const session = store.begin();
    store.execute(session, { name, text: '', values }, () => session.commit());
  }
}
