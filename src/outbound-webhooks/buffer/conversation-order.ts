import type { Entry } from './entry.ts';

/** Most deliveries of one conversation kept in memory behind its first one. */
const CHAIN_MAX = 8;

interface Conversation {
  /** Next deliveries, in order. */
  chain: Entry[];
  /** True if more deliveries wait in the table behind the chain. */
  behind: boolean;
}

/**
 * Lets one delivery per conversation go at a time.
 * A conversation is active while its first delivery is waiting to go or in flight. Its other deliveries follow in order, first from the
 * chain, then from the table.
 * A conversation whose first delivery waits in the table for a retry is not kept in memory, because there may be any number of them.
 * Reads that begin later find it blocked in the table.
 */
export class ConversationOrder {
  readonly #active = new Map<string, Conversation>();
  readonly #wanted = new Set<string>();
  /** Conversations whose first delivery failed since the last read began. */
  readonly #failed = new Set<string>();

  /** Conversations whose next deliveries have to be read from the table. */
  get wanted(): ReadonlySet<string> {
    return this.#wanted;
  }

  /** Returns true if the conversation is active, or became blocked since the last read began. */
  has(conversation: string): boolean {
    return this.#active.has(conversation);
  }

  /** Decides about the next delivery of a conversation: it goes, waits in memory, or stays in the table for now. */
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

  /** Marks a conversation as active: its first delivery is in memory, and more may follow in the table. */
  block(conversation: string): void {
    const known = this.#active.get(conversation);
    if (known === undefined) this.#active.set(conversation, { chain: [], behind: true });
    else known.behind = true;
  }

  /** Settles the first delivery. Returns the next one; undefined if there is none or it has to be read first. */
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

  /** Notes that the first delivery failed. Returns the deliveries to drop from memory until its retry. */
  hold(conversation: string): Entry[] {
    const known = this.#active.get(conversation);
    if (known === undefined) return [];
    this.#failed.add(conversation);
    known.behind = true;
    return known.chain.splice(0);
  }

  /** Skips a first delivery that had failed before and whose event no longer exists. */
  skip(conversation: string): void {
    if (this.#active.has(conversation)) return;
    this.block(conversation);
    this.#wanted.add(conversation);
  }

  /** Returns the conversations to read. Call it before the query: deliveries queued from now on may be missing from its result. */
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

  /**
   * Takes in the rows read of a conversation, in order; `mayHaveMore` if the read stopped at its limit. Returns the delivery that goes
   * now.
   */
  endRead(conversation: string, entries: Entry[], mayHaveMore: boolean): Entry | undefined {
    const known = this.#active.get(conversation);
    if (known === undefined) return undefined;
    known.chain.push(...entries);
    known.behind ||= mayHaveMore;
    return this.advance(conversation);
  }

  /** Makes the conversations of a failed read be read again. */
  abandonRead(conversations: readonly string[]): void {
    for (const conversation of conversations) {
      this.block(conversation);
      this.#wanted.add(conversation);
    }
  }

  /** Forgets every conversation except these, whose first deliveries are in flight. */
  reset(underWay: Iterable<string>): void {
    this.#active.clear();
    this.#wanted.clear();
    this.#failed.clear();
    for (const conversation of underWay) this.block(conversation);
  }
}
