import type { Entry } from './entry.ts';

/** Deliveries of one conversation kept in memory behind the one that goes first. */
const CHAIN_MAX = 8;

interface Conversation {
  /** What goes next, in order. */
  chain: Entry[];
  /** More of it waits in the table, behind the chain. */
  behind: boolean;
}

/**
 * Lets one delivery per conversation go at a time. A conversation is active while its first delivery is waiting to go or under way,
 * and everything else of it follows in order, from the chain and then from the table. Of one whose first delivery waits in the table
 * for its next attempt only the table knows, for there may be any number of those: reads that begin later find it blocked there.
 */
export class ConversationOrder {
  readonly #active = new Map<string, Conversation>();
  readonly #wanted = new Set<string>();
  /** Whose first deliveries failed since the last read began. */
  readonly #failed = new Set<string>();

  /** Conversations whose next deliveries have to be read from the table. */
  get wanted(): ReadonlySet<string> {
    return this.#wanted;
  }

  /** Whether it is active, or has become blocked since the last read began. */
  has(conversation: string): boolean {
    return this.#active.has(conversation);
  }

  /** What becomes of a delivery that comes in order: it goes, waits in memory, or stays in the table for now. */
  admit(conversation: string, entry: Entry): 'goes' | 'waits' | 'stays' {
    const known = this.#active.get(conversation);
    if (known === undefined) {
      this.#active.set(conversation, { chain: [], behind: false });
      return 'goes';
    }
    if (known.behind || known.chain.length >= CHAIN_MAX) {
      known.behind = true;
      return 'stays';
    }
    known.chain.push(entry);
    return 'waits';
  }

  /** Its first delivery is here, and more may follow in the table. */
  block(conversation: string): void {
    const known = this.#active.get(conversation);
    if (known === undefined) this.#active.set(conversation, { chain: [], behind: true });
    else known.behind = true;
  }

  /** The first delivery is settled; answers what goes now, unless that has to be read first. */
  advance(conversation: string): Entry | undefined {
    const known = this.#active.get(conversation);
    if (known === undefined) return undefined;
    const next = known.chain.shift();
    if (next === undefined) {
      if (known.behind) this.#wanted.add(conversation);
      else this.#active.delete(conversation);
    }
    return next;
  }

  /** The first delivery failed; answers what is not kept in memory meanwhile. */
  hold(conversation: string): Entry[] {
    const known = this.#active.get(conversation);
    if (known === undefined) return [];
    this.#failed.add(conversation);
    known.behind = true;
    return known.chain.splice(0);
  }

  /** The first delivery, which had failed before, is no more. */
  skip(conversation: string): void {
    if (this.#active.has(conversation)) return;
    this.block(conversation);
    this.#wanted.add(conversation);
  }

  /** Call before reading the wanted ones: what comes from now on may be missing from what is read. */
  beginRead(): string[] {
    for (const conversation of this.#failed) this.#active.delete(conversation);
    this.#failed.clear();
    const wanted = [...this.#wanted];
    this.#wanted.clear();
    for (const conversation of wanted) {
      const known = this.#active.get(conversation);
      if (known !== undefined) known.behind = false;
    }
    return wanted;
  }

  /** What was read of a conversation in order; `mayHaveMore` when the read stopped at its limit. Answers what goes now. */
  endRead(conversation: string, entries: Entry[], mayHaveMore: boolean): Entry | undefined {
    const known = this.#active.get(conversation);
    if (known === undefined) return undefined;
    known.chain.push(...entries);
    known.behind ||= mayHaveMore;
    return this.advance(conversation);
  }

  /** The read failed. */
  abandonRead(conversations: readonly string[]): void {
    for (const conversation of conversations) {
      this.block(conversation);
      this.#wanted.add(conversation);
    }
  }

  /** Forgets everything but these, whose first deliveries are under way. */
  reset(underWay: Iterable<string>): void {
    this.#active.clear();
    this.#wanted.clear();
    this.#failed.clear();
    for (const conversation of underWay) this.block(conversation);
  }
}
