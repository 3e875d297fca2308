import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../core/time/clock.ts';
import type { IdSource } from '../id-source.ts';

const UPLOADED_TTL_MS = 30 * 86_400_000;
const RECEIVED_TTL_MS = 7 * 86_400_000;
const URL_TTL_MS = 5 * 60_000;
const TICKETS_MAX = 100_000;
/** Least space that a file takes on a disk. */
const BLOCK_BYTES = 4096;

export interface MediaItem {
  readonly id: string;
  readonly phoneNumberId: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  /** End of the id's validity, milliseconds since the epoch. */
  readonly expiresAt: number;
}

interface DownloadTicket {
  mediaId: string;
  expiresAt: number;
}

/**
 * The media objects of the platform. Streams bytes to files in its own temporary directory and never holds them in memory; `close` deletes
 * the files.
 */
export class MediaStore {
  readonly #clock: Clock;
  readonly #ids: IdSource;
  readonly #items = new Map<string, MediaItem>();
  readonly #tickets = new Map<string, DownloadTicket>();
  readonly #bytesMax: number;
  #bytes = 0;
  #directory: Promise<string> | null = null;

  /** Beyond `bytesMax` bytes, the oldest objects are deleted. */
  constructor(clock: Clock, ids: IdSource, bytesMax = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#ids = ids;
    this.#bytesMax = bytesMax;
  }

  /**
   * Reads `content` to its end and stores it under a new id. Empty content, or more than `bytesMax`, is read so that its sender can be
   * answered, but not stored.
   * `origin` decides the lifetime of the id: 30 days after an upload, 7 days after a user's message.
   */
  async add(
    content: Readable,
    facts: { phoneNumberId: string; mimeType: string; origin: 'uploaded' | 'received' },
    bytesMax: number,
  ): Promise<MediaItem | 'empty' | 'too_large'> {
    const id = this.#ids.objectId();
    const hash = createHash('sha256');
    let bytes = 0;
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        hash.update(chunk);
        done(null, bytes > bytesMax ? undefined : chunk);
      },
    });
    const path = await this.#pathOf(id);
    try {
      await pipeline(content, meter, createWriteStream(path));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    if (bytes === 0 || bytes > bytesMax) {
      await rm(path, { force: true });
      return bytes === 0 ? 'empty' : 'too_large';
    }
    const { origin, ...kept } = facts;
    const lifeMs = origin === 'uploaded' ? UPLOADED_TTL_MS : RECEIVED_TTL_MS;
    const item: MediaItem = {
      ...kept,
      id,
      bytes,
      sha256: hash.digest('hex'),
      expiresAt: this.#clock.now() + lifeMs,
    };
    this.#items.set(id, item);
    this.#bytes += spaceOf(item);
    for (const oldest of this.#items.keys()) {
      if (this.#bytes <= this.#bytesMax || oldest === id) break;
      await this.remove(oldest);
    }
    return item;
  }

  /** Returns the object, unless it expired or never existed. */
  find(id: string): MediaItem | undefined {
    const item = this.#items.get(id);
    return item !== undefined && this.#clock.now() < item.expiresAt ? item : undefined;
  }

  /** Returns a new download ticket, valid for five minutes. */
  issueTicket(item: MediaItem): string {
    const now = this.#clock.now();
    for (const [ticket, { expiresAt }] of this.#tickets) {
      if (now < expiresAt && this.#tickets.size < TICKETS_MAX) break;
      this.#tickets.delete(ticket);
    }
    const ticket = this.#ids.opaque(18);
    this.#tickets.set(ticket, { mediaId: item.id, expiresAt: now + URL_TTL_MS });
    return ticket;
  }

  /** Returns the object of a ticket, if both are valid. */
  redeemTicket(ticket: string): MediaItem | undefined {
    const known = this.#tickets.get(ticket);
    return known !== undefined && this.#clock.now() < known.expiresAt ? this.find(known.mediaId) : undefined;
  }

  async read(item: MediaItem): Promise<Readable> {
    return createReadStream(await this.#pathOf(item.id));
  }

  async remove(id: string): Promise<void> {
    const item = this.#items.get(id);
    if (item === undefined) return;
    this.#items.delete(id);
    this.#bytes -= spaceOf(item);
    await rm(await this.#pathOf(id), { force: true });
  }

  /** Removes all objects and deletes the files. */
  async close(): Promise<void> {
    this.#items.clear();
    this.#bytes = 0;
    this.#tickets.clear();
    const directory = this.#directory;
    this.#directory = null;
    if (directory !== null) await rm(await directory, { recursive: true, force: true });
  }

  async #pathOf(id: string): Promise<string> {
    this.#directory ??= mkdtemp(join(tmpdir(), 'simulated-media-'));
    return join(await this.#directory, id);
  }
}

function spaceOf({ bytes }: MediaItem): number {
  return Math.max(bytes, BLOCK_BYTES);
}
