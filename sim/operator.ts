import type { Random } from '../src/core/seeded-random.ts';
import type { Coverage } from './coverage.ts';
import { type EventLoop, recur } from './event-loop.ts';
import { MarketingChanges } from './marketing-changes.ts';
import { type MarketingRules, TEMPLATES } from './marketing-rules.ts';
import { ANYTHING, type Platform, type Refusal } from './platform.ts';
import type { SimulatedServer } from './store/simulated-server.ts';
import { tokenOf } from './store/statements/account-statements.ts';
import { type NumberRow, templateKey, type WabaRow } from './store/tables.ts';
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
  marketing: MarketingRules;
  /** Time within which every node applies a change, ms; infinite if a fault may prevent that. */
  heardWithinMs: number;
}

/** Retry-after times that the platform may send, ms: mostly none; a penalty (131064) lasts longest. */
const RETRY_AFTER_MS = [null, null, null, null, null, 2_000, 30_000, 30_000, 900_000];
/** Interval at which an operator checks parked accounts and numbers, ms. */
const LOOK_MS = 2_000;
/** Limits that the platform may set for a number, messages per second. */
const LEVELS = [5, 20, 80];
/** Longest delay between a change of a number's limit and the platform's report of it, ms. */
const TOLD_MS_MAX = 2_000;
/** Time until a received change is in force and all earlier sends are more than a second old, ms. */
const IN_FORCE_MS = 3_000;

/**
 * Operators and the causes of their work. They pause numbers, slow them down and speed them up, and disconnect and connect accounts. The
 * platform raises and lowers limits, and refuses a token, an account or a number until an operator resolves the trouble and resumes the
 * queue.
 */
export class Operator {
  readonly #options: OperatorOptions;
  /** By WABA: resolves the platform's refusal. */
  readonly #troubles = new Map<string, () => void>();
  /** Version of the newest token. */
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
    new MarketingChanges({
      ...{ ...chances, store: options.server.store, everyMs: operations.marketingEveryMs },
      commit: (name, values) => this.#commit(name, values),
    });
    if (operations.disconnectAtMs !== Number.POSITIVE_INFINITY) this.#disconnect(operations.disconnectAtMs);
    this.#lookAfter();
  }

  /** Stops all new operations; resumes paused numbers and resolves every refusal. */
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

  /** Changes the platform's limit of a number; the platform reports it a moment later. */
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

  /**
   * Disconnects an account and releases its numbers, so that their waiting messages end. In 80 % of cases an organization connects it
   * again.
   */
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
    const waba: WabaRow = {
      ...{ organizationId, wabaId, ...known, parkedCode: null },
      ...{ marketingMessages: null, isOnboarded: this.#options.marketing.isOnboarded(wabaId) },
      ...{ marketingForbidden: false, marketingChangedAtMs: server.store.nowMs() },
    };
    for (const name of TEMPLATES) {
      const category = this.#options.marketing.categoryOf(wabaId, name);
      this.#commit('told_category', [templateKey(organizationId, wabaId, name), category]);
    }
    const numberOf = ({ phoneNumberId }: NumberRow) => ({
      messagesPerSecond: this.#levelOf(phoneNumberId),
      registered: !platform.refuses(phoneNumberId),
    });
    this.#commit('admin_connect_waba', [waba, numberOf]);
  }

  /** Makes the platform refuse requests by token, account or number, or all requests, until the trouble ends or is resolved. */
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

  /**
   * Checks parked accounts; in some cases too early. A late refusal after the trouble was resolved parks nothing, so only open troubles are
   * checked.
   */
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

  /** Reads an account again, or connects it with a new token: its parked queue resumes. */
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

  /** Commits a statement in a transaction that waits for the locks of concurrent writers. */
  #commit(name: string, values: unknown[]): void {
    const { store } = this.#options.server;
    const session = store.begin();
    store.execute(session, { name, text: '', values }, () => session.commit());
  }
}
