import { ByteBudget } from '../core/byte-budget.ts';
import type { Event } from '../events/index.ts';

/** All windows together. */
const ROOM_BYTES = 64 * 1024 * 1024;
/** What a window may hold however full the room is; the last one in may be larger. */
const OWN_BYTES = 32 * 1024;
/** More than any event takes: its texts come from one payload of the upstream. */
const LARGEST_BYTES = 8 * 1024 * 1024;
/** What a delivery takes besides its texts. */
const ENTRY_BYTES = 2 * 1024;

/**
 * Bounds the memory that the windows of all endpoints take together, and each organization's part of it: strangers decide how long
 * the messages are that are told of, and receivers how long they wait.
 */
export class WindowRoom {
  readonly #budget: ByteBudget;

  constructor(bytesMax = ROOM_BYTES) {
    this.#budget = new ByteBudget(bytesMax);
  }

  /** What a window of one of this organization's endpoints holds. */
  open(organizationId: string): WindowContents {
    return new WindowContents(this.#budget, organizationId);
  }
}

/** The deliveries of one endpoint that are in memory, by their numbers: a few as its own, the others as long as the room has space. */
export class WindowContents {
  readonly #budget: ByteBudget;
  readonly #organizationId: string;
  readonly #bytesOf = new Map<number, number>();
  #bytes = 0;
  #bytesOfRoom = 0;

  constructor(budget: ByteBudget, organizationId: string) {
    this.#budget = budget;
    this.#organizationId = organizationId;
  }

  has(seq: number): boolean {
    return this.#bytesOf.has(seq);
  }

  /** Nothing but what is its own can be counted on. */
  get isRoomFull(): boolean {
    return !this.#budget.has(this.#organizationId, LARGEST_BYTES);
  }

  /** Whether one more delivery is taken, whatever its size. */
  get takesMore(): boolean {
    return this.#bytes < OWN_BYTES || !this.isRoomFull;
  }

  /** Takes a delivery in; false, and it is not in, when there is no space for it. */
  add(seq: number, event: Event): boolean {
    const bytes = bytesOf(event);
    const missing = this.#bytes + bytes - OWN_BYTES - this.#bytesOfRoom;
    if (missing > 0) {
      const isGranted = this.#budget.take(this.#organizationId, missing);
      if (isGranted) this.#bytesOfRoom += missing;
      else if (this.#bytes >= OWN_BYTES) return false;
    }
    this.#bytesOf.set(seq, bytes);
    this.#bytes += bytes;
    return true;
  }

  delete(seq: number): void {
    this.#bytes -= this.#bytesOf.get(seq) ?? 0;
    this.#bytesOf.delete(seq);
    const spare = this.#bytesOfRoom - Math.max(0, this.#bytes - OWN_BYTES);
    if (spare <= 0) return;
    this.#budget.giveBack(this.#organizationId, spare);
    this.#bytesOfRoom -= spare;
  }

  /** Lets go of all but these. */
  retain(seqs: { has(seq: number): boolean }): void {
    for (const seq of this.#bytesOf.keys()) if (!seqs.has(seq)) this.delete(seq);
  }
}

/** In memory a character may take two bytes. */
function bytesOf({ message, upstreamValue, detail }: Event): number {
  const texts = [message?.inboundMessage, upstreamValue, detail];
  return ENTRY_BYTES + 2 * texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}
