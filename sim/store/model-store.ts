import pg from 'pg';
import type { Statement } from '../../src/database/database.ts';
import { LockTable } from './lock-table.ts';
import { Tables } from './tables.ts';

export type Row = Record<string, unknown>;

/**
 * One statement as the model runs it. Before its first `yield` it reads its snapshot. Each `yield` takes locks, in the order given. After
 * that it reads the newest committed state, as PostgreSQL does with a row it had to wait for. It changes nothing itself: `session.write`
 * registers the effects of the commit.
 */
export type StatementModel = (
  session: Session,
  values: readonly unknown[],
) => Generator<readonly string[], Row[], void>;

/** Makes a statement that only reads: it takes no locks and sees only its snapshot. */
export function reading(read: (session: Session, values: readonly unknown[]) => Row[]): StatementModel {
  return function* readOnly(session, values) {
    yield* [];
    return read(session, values);
  };
}

/** The result of a statement. */
export type StatementEnd = { rows: Row[] } | { error: Error };

/** Returns a server error as the driver raises it. */
export function serverError(sqlState: string, message: string): Error {
  const error = new pg.DatabaseError(message, message.length, 'error');
  error.code = sqlState;
  return error;
}

/** An open transaction. */
export class Session {
  readonly store: ModelStore;
  /** `now()` of the transaction, epoch ms. */
  readonly nowMs: number;
  #xid: number | undefined;
  #writes: (() => void)[] = [];
  #isOpen = true;

  constructor(store: ModelStore, nowMs: number) {
    this.store = store;
    this.nowMs = nowMs;
  }

  get tables(): Tables {
    return this.store.tables;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** `pg_current_xact_id()`; a statement has an id from its first `yield` on. */
  get xid(): number {
    if (this.#xid === undefined) throw new Error('a statement has no transaction id before it writes');
    return this.#xid;
  }

  startWriting(): void {
    this.#xid ??= this.store.startXid();
  }

  /** Registers an effect of the commit. */
  write(effect: () => void): void {
    this.#writes.push(effect);
  }

  /** Makes all writes visible at once. */
  commit(): void {
    if (!this.#isOpen) throw new Error('a session ends once');
    for (const effect of this.#writes) effect();
    this.#end();
  }

  /** Rolls back. */
  abort(): void {
    if (this.#isOpen) this.#end();
  }

  #end(): void {
    this.#isOpen = false;
    this.#writes = [];
    if (this.#xid !== undefined) this.store.endXid(this.#xid);
    this.store.locks.release(this);
  }
}

/** Returns a statement's name without its table suffix. */
export function statementName({ name = '' }: Statement): string {
  return name.replace(/@.*/, '');
}

/**
 * PostgreSQL at READ COMMITTED, reduced to the needs of the statements in `models`: committed tables, row and key locks, transaction ids
 * and their snapshots. Statements take no time here.
 */
export class ModelStore {
  readonly tables = new Tables();
  readonly locks = new LockTable();
  readonly #models: ReadonlyMap<string, StatementModel>;
  readonly #now: () => number;
  readonly #activeXids = new Set<number>();
  #nextXid = 1_000;
  #nextSeq = 1;
  #nextPersonNumber = 1e15;

  constructor(models: ReadonlyMap<string, StatementModel>, now: () => number) {
    this.#models = models;
    this.#now = now;
  }

  begin(): Session {
    return new Session(this, this.#now());
  }

  /** The server's clock, epoch ms. */
  nowMs(): number {
    return this.#now();
  }

  /** `pg_current_snapshot()` now, as text. */
  snapshot(): string {
    const open = [...this.#activeXids].sort((a, b) => a - b);
    return `${open[0] ?? this.#nextXid}:${this.#nextXid}:${open}`;
  }

  /** True if no transaction has uncommitted writes. */
  get isCommitted(): boolean {
    return this.#activeXids.size === 0;
  }

  /** Ids of the open transactions that write. */
  writers(): number[] {
    return [...this.#activeXids];
  }

  startXid(): number {
    const xid = this.#nextXid++;
    this.#activeXids.add(xid);
    return xid;
  }

  endXid(xid: number): void {
    this.#activeXids.delete(xid);
  }

  /** Returns the next value of the queue's identity column. */
  nextSeq(): number {
    return this.#nextSeq++;
  }

  /** Returns the next value of `person_number`. */
  nextPersonNumber(): number {
    return this.#nextPersonNumber++;
  }

  /** Runs a statement within a session. `ended` is called before this returns, or later if the statement has to wait for a lock. */
  execute(session: Session, statement: Statement, ended: (end: StatementEnd) => void): void {
    const model = this.#models.get(statementName(statement));
    if (model === undefined) {
      throw new Error(`The model store does not know the statement "${statement.name ?? statement.text}".`);
    }
    const steps = model(session, statement.values ?? []);
    const advance = () => {
      if (!session.isOpen) return;
      const step = steps.next();
      if (step.done === true) return ended({ rows: step.value });
      // PostgreSQL assigns a transaction id when the first lock is taken; a transaction that only reads has none.
      session.startWriting();
      this.#lock(session, step.value, 0, advance, ended);
    };
    advance();
  }

  #lock(
    session: Session,
    keys: readonly string[],
    from: number,
    granted: () => void,
    ended: (end: StatementEnd) => void,
  ): void {
    for (let index = from; index < keys.length; index += 1) {
      const goOn = () => this.#lock(session, keys, index + 1, granted, ended);
      const answer = this.locks.acquire(session, keys[index] ?? '', goOn);
      if (answer === 'waiting') return;
      if (answer === 'deadlock') {
        ended({ error: serverError('40P01', 'deadlock detected') });
        return;
      }
    }
    granted();
  }
}
