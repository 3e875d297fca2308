import { type Random, seededRandom } from '../src/core/seeded-random.ts';
import { Cluster } from './cluster.ts';
import { Coverage } from './coverage.ts';
import { EventLoop } from './event-loop.ts';
import { checkEnd } from './final-checks.ts';
import { MarketingRules } from './marketing-rules.ts';
import { Nemesis } from './nemesis.ts';
import { Operator } from './operator.ts';
import { Lives, type Webhook } from './people/lives.ts';
import { PeopleJudge } from './people/people-judge.ts';
import { PeopleBook } from './people/person.ts';
import { Platform } from './platform.ts';
import { populate } from './population.ts';
import { readEnvelope, Sender } from './sender.ts';
import { SimulatedServer } from './store/simulated-server.ts';
import { wabaOf } from './store/statements/account-statements.ts';
import { statementModels } from './store/statements/statement-models.ts';
import { Trace } from './trace.ts';
import { EPOCH_MS, withVirtualGlobals } from './virtual-process.ts';
import { watchWrites } from './watch-writes.ts';
import { drawWeather, isCalm, isPlatformCalm, type Weather } from './weather.ts';
import { InvariantViolation, Witness } from './witness.ts';

/** The result of one run. */
export interface Report {
  seed: number;
  /** Hash over all events; the same for every run of the same seed. */
  hash: string;
  events: number;
  virtualMs: number;
  coverage: Coverage;
  /** Description of the violated invariant; undefined if all is well. */
  violation: string | undefined;
  /** The last events, for debugging. */
  tail: string[];
  weather: Weather;
}

const ACTIVE_MS = 12_000;
/**
 * Longest time after the last fault until every accepted message has ended, ms: a penalty of a quarter of an hour, two holds, retries, and
 * a pair's emptied burst.
 */
const SETTLE_MS_MAX = 1_400_000;
/** Time until a received status is visible to the dispatcher if nothing is slow, ms. */
const STATUS_SEEN_MS = 2_000;
/** Time for late effects after everything seems settled, ms. */
const AFTERMATH_MS = 3_000;

/** Runs one seed, with people who have user ids and change their names if `people` is set. Two runs of one seed do the same, event by event. */
export function simulate(seed: number, people = false): Promise<Report> {
  return withVirtualGlobals(() => new Simulation(seed, people).run());
}

class Simulation {
  readonly #seed: number;
  readonly #random: Random;
  readonly #weather: Weather;
  readonly #loop = new EventLoop();
  readonly #coverage = new Coverage();
  readonly #trace = new Trace(this.#loop);
  readonly #server: SimulatedServer;
  readonly #marketing = new MarketingRules();
  readonly #platform: Platform;
  readonly #cluster: Cluster;
  readonly #witness: Witness;
  readonly #nemesis: Nemesis;
  readonly #operator: Operator;
  readonly #senders: Sender[];
  readonly #book = new PeopleBook();
  readonly #lives: Lives;
  readonly #judge: PeopleJudge;
  #isClosing = false;

  constructor(seed: number, people: boolean) {
    this.#seed = seed;
    this.#random = seededRandom(seed);
    const random = this.#random;
    this.#weather = drawWeather(random, people);
    const { traffic } = this.#weather;
    const shared = { loop: this.#loop, random, coverage: this.#coverage, trace: this.#trace };
    this.#server = new SimulatedServer({
      ...shared,
      weather: this.#weather.database,
      models: statementModels,
      now: () => EPOCH_MS + this.#loop.nowMs,
      onExecuted: (name, values, rows) => {
        this.#witness.statementExecuted(name, values, rows);
        this.#judge.statementExecuted(name, values, rows);
      },
    });
    const { store } = this.#server;
    const recipients = populate({ store, book: this.#book, random, marketing: this.#marketing }, traffic);
    this.#judge = new PeopleJudge({ ...shared, store, book: this.#book });
    this.#witness = new Witness({ ...shared, store, isCalm: isCalm(this.#weather) && isPlatformCalm(this.#weather) });
    this.#platform = new Platform({
      ...shared,
      weather: this.#weather.platform,
      messagesPerSecond: traffic.messagesPerSecond,
      readEnvelope,
      marketing: this.#marketing,
      book: this.#book,
      keyOf: (label) => this.#witness.keyOf(label),
      onWrite: (written) => this.#witness.requestWritten(written, this.#cluster.nodeIdOf(written.node)),
      onRefused: (node, token, refusal) =>
        this.#witness.numbers.refused(this.#cluster.nodeIdOf(node), wabaOf(token), refusal),
      deliver: (webhook, done) => this.#deliver(webhook, done),
    });
    this.#lives = new Lives({
      ...shared,
      book: this.#book,
      connected: (phoneNumberId) => store.tables.connectedNumber(phoneNumberId),
      inboundEveryMs: this.#weather.platform.inboundEveryMs,
      changeEveryMs: traffic.namesEveryMs,
      deliver: (webhook, done) => this.#deliver(webhook, done),
    });
    this.#cluster = new Cluster({
      ...shared,
      weather: this.#weather,
      server: this.#server,
      platform: () => this.#platform,
      inForce: (nodeId, phoneNumberId) => this.#witness.numbers.inForce(nodeId, phoneNumberId),
    });
    this.#nemesis = new Nemesis({
      ...shared,
      disasters: this.#weather.disasters,
      cluster: this.#cluster,
      server: this.#server,
    });
    this.#senders = recipients.map(
      (recipient, index) =>
        new Sender({
          ...shared,
          traffic,
          tables: store.tables,
          recipient,
          name: `m${index + 1}`,
          pickGateway: () => this.#cluster.pick(),
          hasOpenWindow: (number, personName) =>
            this.#judge.hasOpenWindow(
              number,
              personName,
              this.#lives.received.filter(({ person }) => person === recipient.person),
            ),
          isClosing: () => this.#isClosing,
        }),
    );
    this.#operator = new Operator({
      ...shared,
      operations: this.#weather.operations,
      server: this.#server,
      platform: this.#platform,
      marketing: this.#marketing,
      heardWithinMs: isCalm(this.#weather) ? this.#weather.toldMsMax : Number.POSITIVE_INFINITY,
    });
    watchWrites(store.tables.changes, (_, change) => this.#cluster.changed(change));
  }

  async run(): Promise<Report> {
    let violation: string | undefined;
    try {
      await this.#loop.run(ACTIVE_MS, () => false);
      this.#calm();
      await this.#settle();
      await this.#meetEverybody();
      checkEnd({
        store: this.#server.store,
        platform: this.#platform,
        witness: this.#witness,
        coverage: this.#coverage,
        book: this.#book,
        isAlwaysAuto: this.#isAlwaysAuto(),
        sends: this.#senders.flatMap((sender) => sender.sends),
        statusSeenWithinMs: isCalm(this.#weather) ? STATUS_SEEN_MS : Number.POSITIVE_INFINITY,
      });
    } catch (error) {
      if (!(error instanceof InvariantViolation))
        throw new Error(`seed ${this.#seed} ended in an error`, { cause: error });
      violation = error.message;
    }
    return {
      seed: this.#seed,
      hash: this.#trace.digest(),
      events: this.#loop.count,
      virtualMs: this.#loop.nowMs,
      coverage: this.#coverage,
      violation,
      tail: this.#trace.tail(),
      weather: this.#weather,
    };
  }

  #isAlwaysAuto(): boolean {
    const { traffic } = this.#weather;
    const isChanged = this.#coverage.count('setting of marketing messages changed') > 0;
    const isAuto = traffic.marketingMessages.every((setting) => setting === 'auto') && !isChanged;
    return isAuto && traffic.explicitMarketing === 0 && !this.#marketing.hasForbidden;
  }

  /** Ends all faults; dead processes restart by themselves. */
  #calm(): void {
    this.#trace.note('calm');
    this.#isClosing = true;
    this.#lives.end();
    this.#nemesis.calm();
    this.#operator.calm();
    this.#server.calm();
    this.#platform.calm();
  }

  async #settle(): Promise<void> {
    let isSettled = false;
    const look = () => {
      isSettled = this.#isSettled();
      this.#loop.in(250, look);
    };
    look();
    const endsMs = this.#loop.nowMs + SETTLE_MS_MAX;
    // A late statement may store a message after everything else has ended. The loop waits until that message has ended too.
    do {
      await this.#loop.run(endsMs, () => isSettled);
      if (!isSettled) throw new InvariantViolation(`not settled in time: ${this.#leftovers()}`);
      await this.#loop.run(this.#loop.nowMs + AFTERMATH_MS, () => false);
      isSettled = this.#isSettled();
    } while (!isSettled);
  }

  #isSettled(): boolean {
    const { store } = this.#server;
    const { queue, journal } = store.tables;
    return (
      this.#cluster.isServing &&
      store.isCommitted &&
      queue.size === 0 &&
      [...journal.keys()].every((key) => this.#server.abandonedJournals.has(key)) &&
      this.#platform.reports.undelivered === 0 &&
      this.#lives.undelivered === 0 &&
      this.#senders.every((sender) => sender.isDone)
    );
  }

  #leftovers(): string {
    const { queue, journal, messages } = this.#server.store.tables;
    const queued = [...queue.values()].map((row) => {
      const message = messages.get(row.messageId);
      const name = message === undefined ? '?' : this.#witness.labelOf(message);
      return `${name} (held until ${row.holdUntilMs}, due ${row.dueAtMs})`;
    });
    const open = this.#senders.filter((sender) => !sender.isDone).length;
    return `${queued.join(', ') || 'nothing'} queued, ${journal.size} journal rows, ${this.#platform.reports.undelivered + this.#lives.undelivered} webhooks, ${open} clients`;
  }

  /** Lets every person with a user id write once under all names, and checks that each is one record then. */
  async #meetEverybody(): Promise<void> {
    const named = this.#book.people.filter(({ userId }) => userId !== undefined);
    if (named.length === 0) return;
    for (const person of named) {
      person.isHidden = false;
      this.#lives.write(person);
    }
    await this.#settle();
    this.#judge.checkEnd(this.#lives.received);
  }

  /** Lets a gateway receive a webhook; without an answer in time the webhook counts as not received. */
  #deliver(webhook: Webhook, done: (isTaken: boolean) => void): void {
    let isOver = false;
    const end = (isTaken: boolean) => {
      if (isOver) return;
      isOver = true;
      cancelPatience();
      done(isTaken);
    };
    const cancelPatience = this.#loop.in(10_000, () => end(false));
    const gateway = this.#cluster.pick();
    const tripMs = () => this.#random.next() * 5;
    this.#loop.in(tripMs(), () => {
      if (gateway === undefined) return end(false);
      gateway.process.onKilled(() => this.#loop.in(tripMs(), () => end(false)));
      gateway.process.deliver(() => {
        if (!gateway.isServing) return end(false);
        gateway.receive(webhook).then(
          () => this.#loop.in(tripMs(), () => end(true)),
          () => this.#loop.in(tripMs(), () => end(false)),
        );
      });
    });
  }
}
