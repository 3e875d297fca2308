import { ByteBudget } from '../../core/limits/byte-budget.ts';
import type { Event } from '../../events/index.ts';

/** Bytes that windows share beyond their own. */
const ROOM_BYTES = 64 * 1024 * 1024;
/** Bytes that a window may hold even if the shared memory is full; its last delivery may exceed them. */
const OWN_BYTES_MAX = 32 * 1024;
/** Bytes that all windows may hold as their own. If there are too many windows for this, each has less. */
const ALL_OWN_BYTES = 64 * 1024 * 1024;
/** More bytes than any event takes: its texts come from one payload of the upstream. */
const LARGEST_BYTES = 8 * 1024 * 1024;
/** Bytes of a delivery besides its texts. */
const ENTRY_BYTES = 2 * 1024;

/**
 * Bounds the memory that the windows of all endpoints take together, and each organization's part of it. Without this, outsiders decide
 * how much memory is taken: senders by the length of their messages, receivers by the time they take.
 */
export class WindowRoom {
  /** Budget of the shared bytes. */
  readonly budget: ByteBudget;
  #windows = 0;

  constructor(bytesMax = ROOM_BYTES) {
    this.budget = new ByteBudget(bytesMax);
  }

  /** Bytes that a window has for itself. */
  get ownBytes(): number {
    return Math.min(OWN_BYTES_MAX, ALL_OWN_BYTES / this.#windows);
  }

  /** Opens a window for an endpoint of this organization. Close it when the endpoint is no longer worked. */
  open(organizationId: string): WindowContents {
    this.#windows += 1;
    return new WindowContents(this, organizationId);
  }

  /** Counts one window less. */
  windowClosed(): void {
    this.#windows -= 1;
  }
}

/**
 * Holds the deliveries of one endpoint that are in memory, by number. A few are in its own bytes, the others while the shared memory has
 * space.
 */
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

  /** True if the window can count on its own bytes only. */
  get isRoomFull(): boolean {
    return !this.#room.budget.has(this.#organizationId, LARGEST_BYTES);
  }

  /** True if one more delivery fits, whatever its size. */
  get takesMore(): boolean {
    return this.#bytes < this.#room.ownBytes || !this.isRoomFull;
  }

  /** Number of short deliveries that fit even if the shared memory is full. */
  get ownCount(): number {
    return Math.max(1, Math.floor(this.#room.ownBytes / ENTRY_BYTES));
  }

  /** Adds a delivery. Returns false, without adding it, if there is no space. */
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

  /** Closes the window: nothing is added any more, and its deliveries are removed as before. */
  close(): void {
    this.#room.windowClosed();
  }

  /** Drops all deliveries except these. */
  retain(seqs: { has(seq: number): boolean }): void {
    for (const seq of this.#bytesOf.keys()) if (!seqs.has(seq)) this.delete(seq);
  }
}

/** Estimates the bytes of an event; in memory a character may take two bytes. */
function bytesOf({ message, upstreamValue, detail }: Event): number {
  const texts = [message?.inboundMessage, upstreamValue, detail];
  return ENTRY_BYTES + 2 * texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}
