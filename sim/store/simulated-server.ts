import type { Random } from '../../src/core/seeded-random.ts';
import type { Statement } from '../../src/database/database.ts';
import type { Coverage, Site } from '../coverage.ts';
import type { EventLoop } from '../event-loop.ts';
import type { DatabaseWeather } from '../weather.ts';
import {
  ModelStore,
  type Row,
  type Session,
  type StatementEnd,
  type StatementModel,
  serverError,
  statementName,
} from './model-store.ts';

/** Receives the server's answer to one request. */
export interface Reply {
  rows(rows: Row[]): void;
  error(error: Error): void;
  /** The connection breaks instead of an answer. */
  cut(): void;
}

const LOCK_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 10_000;

type Fault = 'none' | 'refused' | 'cancelled' | 'lost before' | 'answer lost' | 'late';

/** One request in progress on the server. */
interface Work {
  session: Session;
  reply: Reply;
}

/** A client's connections to the server. */
interface Connections {
  cutAll(): void;
}

/** A client's transaction, as the server sees it. */
export interface ServerTransaction {
  execute(statement: Statement, reply: Reply): void;
  commit(reply: Reply): void;
  rollBack(): void;
}

/** PostgreSQL in virtual time: statements take time, wait for locks, fail, and lose their connections as `weather` says. */
export class SimulatedServer {
  readonly store: ModelStore;
  /** Keys of journal rows without a known owner: committed after their writer had received an error. */
  readonly abandonedJournals = new Set<string>();
  readonly #loop: EventLoop;
  readonly #random: Random;
  readonly #weather: DatabaseWeather;
  readonly #coverage: Coverage;
  readonly #onExecuted: (name: string, values: readonly unknown[], rows: readonly Row[]) => void;
  readonly #running = new Set<Work>();
  readonly #links: Connections[] = [];
  #isDown = false;
  #isCalm = false;

  constructor(options: {
    loop: EventLoop;
    random: Random;
    weather: DatabaseWeather;
    coverage: Coverage;
    models: ReadonlyMap<string, StatementModel>;
    now: () => number;
    /** Called for every statement that ran to its end, before its commit. */
    onExecuted: (name: string, values: readonly unknown[], rows: readonly Row[]) => void;
  }) {
    this.#loop = options.loop;
    this.#random = options.random;
    this.#weather = options.weather;
    this.#coverage = options.coverage;
    this.#onExecuted = options.onExecuted;
    this.store = new ModelStore(options.models, options.now);
  }

  get isDown(): boolean {
    return this.#isDown;
  }

  /** Draws the one-way latency between a client and the server, ms. */
  latencyMs(): number {
    return this.#random.next() * this.#weather.latencyMsMax;
  }

  attach(link: Connections): void {
    this.#links.push(link);
  }

  /** Ends all faults. */
  calm(): void {
    this.#isCalm = true;
  }

  /** Takes the server down for `durationMs` and breaks every connection. Only committed rows survive. */
  crash(durationMs: number): void {
    if (this.#isDown) return;
    this.#isDown = true;
    this.#coverage.hit('database restarted');
    for (const { session, reply } of [...this.#running]) {
      session.abort();
      reply.cut();
    }
    this.#running.clear();
    for (const link of this.#links) link.cutAll();
    this.#loop.in(durationMs, () => {
      this.#isDown = false;
    });
  }

  /** Runs one statement in a transaction of its own. */
  execute(statement: Statement, reply: Reply): void {
    const fault = this.#drawFault();
    if (fault === 'lost before') reply.cut();
    else if (fault === 'refused') reply.error(serverError('53300', 'too many connections'));
    else if (fault === 'late') this.#executeLate(statement, reply);
    else this.#executeNow(statement, reply, fault);
  }

  #executeNow(statement: Statement, reply: Reply, fault: Fault): void {
    const session = this.store.begin();
    this.#run(session, statement, reply, (end) => {
      if ('error' in end) {
        session.abort();
        return reply.error(end.error);
      }
      if (fault === 'cancelled') {
        session.abort();
        return reply.error(serverError('57014', 'canceling statement due to statement timeout'));
      }
      session.commit();
      if (fault === 'answer lost') reply.cut();
      else reply.rows(end.rows);
    });
  }

  /** Begins a transaction of several statements. */
  begin(): ServerTransaction {
    const session = this.store.begin();
    let isFailed = false;
    let requests = 0;
    const watch = () => {
      requests += 1;
      const seen = requests;
      this.#loop.in(IDLE_TIMEOUT_MS, () => {
        if (seen === requests) session.abort();
      });
    };
    watch();
    return {
      execute: (statement, reply) => {
        requests += 1;
        const fault = this.#drawFault();
        if (!session.isOpen || fault === 'lost before' || fault === 'answer lost' || fault === 'late') {
          session.abort();
          return reply.cut();
        }
        if (isFailed) return reply.error(serverError('25P02', 'current transaction is aborted'));
        this.#run(session, statement, reply, (end) => {
          watch();
          if ('rows' in end && fault === 'none') return reply.rows(end.rows);
          isFailed = true;
          reply.error('error' in end ? end.error : serverError('57014', 'canceling statement due to user request'));
        });
      },
      commit: (reply) => {
        requests += 1;
        const fault = this.#drawFault();
        if (!session.isOpen || fault === 'lost before' || fault === 'refused' || fault === 'cancelled') {
          session.abort();
          return reply.cut();
        }
        if (isFailed) {
          session.abort();
          return reply.rows([]);
        }
        const work = { session, reply };
        this.#running.add(work);
        if (fault === 'late') reply.cut();
        this.#loop.in(fault === 'late' ? this.#slowMs() : this.#workMs(), () => {
          this.#running.delete(work);
          if (!session.isOpen) return;
          session.commit();
          if (fault === 'answer lost') reply.cut();
          else reply.rows([]);
        });
      },
      rollBack: () => {
        requests += 1;
        session.abort();
      },
    };
  }

  /** Breaks the client's connection; the server does not notice and executes the statement later. */
  #executeLate(statement: Statement, reply: Reply): void {
    reply.cut();
    const silent: Reply = { rows() {}, error() {}, cut() {} };
    this.#loop.in(this.#slowMs(), () => {
      if (this.#isDown) return;
      const session = this.store.begin();
      this.#run(session, statement, silent, (end) => {
        if ('error' in end) return session.abort();
        const { journal } = this.store.tables;
        const known = new Set(journal.keys());
        session.commit();
        for (const key of journal.keys()) if (!known.has(key)) this.abandonedJournals.add(key);
      });
    });
  }

  #run(session: Session, statement: Statement, reply: Reply, ended: (end: StatementEnd) => void): void {
    const work = { session, reply };
    this.#running.add(work);
    let cancelTimeout: (() => void) | undefined;
    let isExecuted = false;
    this.store.execute(session, statement, (end) => {
      isExecuted = true;
      cancelTimeout?.();
      if ('error' in end) this.#coverage.hit('deadlock');
      else this.#onExecuted(statementName(statement), statement.values ?? [], end.rows);
      this.#loop.in(this.#workMs(), () => {
        this.#running.delete(work);
        if (session.isOpen) ended(end);
      });
    });
    if (isExecuted) return;
    this.#coverage.hit('lock waited for');
    cancelTimeout = this.#loop.in(LOCK_TIMEOUT_MS, () => {
      if (!this.#running.delete(work) || !session.isOpen) return;
      this.store.locks.stopWaiting(session);
      ended({ error: serverError('55P03', 'canceling statement due to lock timeout') });
    });
  }

  #workMs(): number {
    if (!this.#isCalm && this.#random.chance(this.#weather.slow)) {
      this.#coverage.hit('statement slow');
      return this.#slowMs();
    }
    return this.#random.next() * this.#weather.workMsMax;
  }

  #slowMs(): number {
    return this.#random.next() * this.#weather.slowMsMax;
  }

  #drawFault(): Fault {
    if (this.#isCalm) return 'none';
    const { refused, cancelled, lostBefore, answerLost, late } = this.#weather;
    let chance = this.#random.next();
    const falls = (probability: number) => {
      chance -= probability;
      return chance < 0;
    };
    if (falls(refused)) return this.#note('refused', 'statement refused');
    if (falls(cancelled)) return this.#note('cancelled', 'statement cancelled after its work');
    if (falls(lostBefore)) return this.#note('lost before', 'connection lost before a statement arrived');
    if (falls(answerLost)) return this.#note('answer lost', 'answer of a commit lost');
    if (falls(late)) return this.#note('late', 'commit after its client had given up');
    return 'none';
  }

  #note(fault: Fault, site: Site): Fault {
    this.#coverage.hit(site);
    return fault;
  }
}
