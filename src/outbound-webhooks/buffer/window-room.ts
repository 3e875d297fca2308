import { ByteBudget } from '../../core/limits/byte-budget.ts';
import type { Event } from '../../events/index.ts';

/** What windows share beside what is their own. */
const ROOM_BYTES = 64 * 1024 * 1024;
/** What a window may hold however full the room is; the last one in may be larger. */
const OWN_BYTES_MAX = 32 * 1024;
/** What all windows may hold of their own: where there are more than this is enough for, each has less. */
const ALL_OWN_BYTES = 64 * 1024 * 1024;
/** More than any event takes: its texts come from one payload of the upstream. */
const LARGEST_BYTES = 8 * 1024 * 1024;
/** What a delivery takes besides its texts. */
const ENTRY_BYTES = 2 * 1024;

/**
 * Bounds the memory that the windows of all endpoints take together, and each organization's part of it: strangers decide how long
 * the messages are that are told of, and receivers how long they wait.
 */
export class WindowRoom {
  /** Of the bytes that windows share. */
  readonly budget: ByteBudget;
  #windows = 0;

  constructor(bytesMax = ROOM_BYTES) {
    this.budget = new ByteBudget(bytesMax);
  }

  /** What a window has for itself. */
  get ownBytes(): number {
    return Math.min(OWN_BYTES_MAX, ALL_OWN_BYTES / this.#windows);
  }

  /** What a window of one of this organization's endpoints holds; to be closed when the endpoint is not worked any more. */
  open(organizationId: string): WindowContents {
    this.#windows += 1;
    return new WindowContents(this, organizationId);
  }

  /** One window less takes part. */
  windowClosed(): void {
    this.#windows -= 1;
  }
}

/** The deliveries of one endpoint that are in memory, by their numbers: a few as its own, the others as long as the room has space. */
export class WindowContents {
  readonly #room: WindowRoom;
  readonly #organizationId: string;
  readonly #bytesOf = new Map<number, number>();
  #bytes = 0;
  #bytesOfRoom = 0;

  constructor(room: WindowRoom, organizationId: string) {
    this.#room = room;
    this.#organizationId = organizationId;
  }

  has(seq: number): boolean {
    return this.#bytesOf.has(seq);
  }

  /** Nothing but what is its own can be counted on. */
  get isRoomFull(): boolean {
    return !this.#room.budget.has(this.#organizationId, LARGEST_BYTES);
  }

  /** Whether one more delivery is taken, whatever its size. */
  get takesMore(): boolean {
    return this.#bytes < this.#room.ownBytes || !this.isRoomFull;
  }

  /** How many short deliveries it takes in however full the room is. */
  get ownCount(): number {
    return Math.max(1, Math.floor(this.#room.ownBytes / ENTRY_BYTES));
  }

  /** Takes a delivery in; false, and it is not in, when there is no space for it. */
  add(seq: number, event: Event): boolean {
    const bytes = bytesOf(event);
    const missing = this.#bytes + bytes - this.#room.ownBytes - this.#bytesOfRoom;
    if (missing > 0) {
      const isGranted = this.#room.budget.take(this.#organizationId, missing);
      if (isGranted) this.#bytesOfRoom += missing;
      else if (this.#bytes >= this.#room.ownBytes) return false;
    }
    this.#bytesOf.set(seq, bytes);
    this.#bytes += bytes;
    return true;
  }

  delete(seq: number): void {
    this.#bytes -= this.#bytesOf.get(seq) ?? 0;
    this.#bytesOf.delete(seq);
    const spare = this.#bytesOfRoom - Math.max(0, this.#bytes - this.#room.ownBytes);
    if (spare <= 0) return;
    this.#room.budget.giveBack(this.#organizationId, spare);
    this.#bytesOfRoom -= spare;
  }

  /** Takes in nothing more; what it holds goes as it did. */
  close(): void {
    this.#room.windowClosed();
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
