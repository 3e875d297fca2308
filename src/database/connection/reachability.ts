import { waitAtMost } from '../../core/run/waiting.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../database.ts';
import { firstRow } from '../first-row.ts';

interface ReachabilityDeps {
  db: Queryable;
  clock: Clock;
  /** How long the database may be silent; 5 s when absent. */
  silenceMs?: number;
}

const PROMPT_MS = 500;
const SILENCE_MS = 5_000;

/**
 * Whether the database takes writes from this node, as it is asked for once a second or so. A stalled database is stalled for every
 * node: while it is silent the last verdict holds, because a node that is slow is better than none.
 */
export class Reachability {
  readonly #deps: ReachabilityDeps;
  readonly #silenceMs: number;
  #verdict = true;
  /** One at a time: a question each would take all connections of a database that does not answer. */
  #question: { askedAtMs: number; answered: Promise<void> } | undefined;

  constructor(deps: ReachabilityDeps) {
    this.#deps = deps;
    this.#silenceMs = deps.silenceMs ?? SILENCE_MS;
  }

  /** Told within half a second. False from a refusal on, or from five seconds of silence, until an answer. Never rejects. */
  async isGiven(): Promise<boolean> {
    const { clock } = this.#deps;
    this.#question ??= { askedAtMs: clock.monotonicMs(), answered: this.#ask() };
    const question = this.#question;
    await waitAtMost(clock, PROMPT_MS, question.answered);
    const isAnswered = this.#question !== question;
    return this.#verdict && (isAnswered || clock.monotonicMs() - question.askedAtMs < this.#silenceMs);
  }

  async #ask(): Promise<void> {
    try {
      this.#verdict = await takesWrites(this.#deps.db, this.#silenceMs);
    } catch {
      this.#verdict = false;
    }
    this.#question = undefined;
  }
}

async function takesWrites(db: Queryable, timeoutMs: number): Promise<boolean> {
  const rows = await db.query<{ readOnly: string }>({
    text: `SELECT current_setting('transaction_read_only') AS "readOnly"`,
    timeoutMs,
  });
  return firstRow(rows).readOnly === 'off';
}
