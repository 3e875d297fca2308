import { waitAtMost } from '../../core/run/waiting.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../database.ts';
import { firstRow } from '../first-row.ts';

interface ReachabilityDeps {
  db: Queryable;
  clock: Clock;
  /** Longest silence of the database before it counts as unreachable; 5 s when absent. */
  silenceMs?: number;
}

const PROMPT_MS = 500;
const SILENCE_MS = 5_000;

/**
 * Knows if the database takes writes from this node; asked about once a second. A stalled database is stalled for every node. While it is
 * silent the last verdict holds, because a slow node is better than none.
 */
export class Reachability {
  readonly #deps: ReachabilityDeps;
  readonly #silenceMs: number;
  #verdict = true;
  /** One question at a time: with one per call, a silent database would use up all connections. */
  #question: { askedAtMs: number; answered: Promise<void> } | undefined;

  constructor(deps: ReachabilityDeps) {
    this.#deps = deps;
    this.#silenceMs = deps.silenceMs ?? SILENCE_MS;
  }

  /** Answers within 500 ms. False after a refusal, or after `silenceMs` without an answer, until the next answer. Never rejects. */
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
