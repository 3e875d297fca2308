import { createHash, type Hash } from 'node:crypto';
import type { IdSource } from '../id-source.ts';

/** File types of template samples. */
export const sampleTypes: ReadonlySet<string> = new Set([
  'application/pdf',
  'image/jpeg',
  'image/jpg',
  'image/png',
  'video/mp4',
]);

/** One resumable upload. Stores only the count and the hash of received bytes. */
export interface UploadSession {
  /** `upload:…?sig=…`, used verbatim as a path. */
  readonly id: string;
  readonly token: string;
  readonly fileType: string;
  readonly fileName: string;
  readonly lengthBytes: number;
  receivedBytes: number;
  readonly hash: Hash;
}

/** A completely uploaded file. */
export interface UploadedSample {
  readonly fileType: string;
  /** SHA-256 of the file, in hex. */
  readonly sha256: string;
}

/** Resumable uploads and the handles of the completed ones. */
export class UploadSessions {
  readonly #ids: IdSource;
  readonly #sessions = new Map<string, UploadSession>();
  readonly #samples = new Map<string, { token: string; sample: UploadedSample }>();

  constructor(ids: IdSource) {
    this.#ids = ids;
  }

  start(facts: { token: string; fileType: string; fileName: string; lengthBytes: number }): UploadSession {
    const name = Buffer.from(`1:attachment:${this.#ids.opaque(12)}:${facts.fileType}`).toString('base64url');
    const session: UploadSession = {
      ...facts,
      id: `upload:MTph${name}?sig=ARZ${this.#ids.opaque(14)}`,
      receivedBytes: 0,
      hash: createHash('sha256'),
    };
    this.#sessions.set(session.id, session);
    return session;
  }

  find(id: string): UploadSession | undefined {
    return this.#sessions.get(id);
  }

  /** Ends a session whose bytes have all arrived. Returns the handle to use as a template sample. */
  finish(session: UploadSession, nowMs: number): string {
    const type = Buffer.from(session.fileType).toString('base64');
    const name = Buffer.from(session.fileName).toString('base64');
    const expires = Math.floor(nowMs / 1000) + 30 * 86_400;
    const handle = `4::${type}:${name}:ARb${this.#ids.opaque(20)}:e:${expires}:1:2:AR${this.#ids.opaque(12)}`;
    const sample = { fileType: session.fileType, sha256: session.hash.digest('hex') };
    this.#samples.set(handle, { token: session.token, sample });
    this.#sessions.delete(session.id);
    return handle;
  }

  findSample(handle: string): UploadedSample | undefined {
    return this.#samples.get(handle)?.sample;
  }

  /** Forgets the uploads of a token. */
  forget(token: string): void {
    for (const map of [this.#sessions, this.#samples]) {
      for (const [key, upload] of map) if (upload.token === token) map.delete(key);
    }
  }

  clear(): void {
    this.#sessions.clear();
    this.#samples.clear();
  }
}
