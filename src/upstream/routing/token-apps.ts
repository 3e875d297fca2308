import { sha256Hex } from '../../core/digest.ts';

/** A Meta app, as the calls of its tokens need it. */
export interface GraphApp {
  /** Null if it is not known. */
  id: string | null;
  /** The secret that every call has to prove; null if the app requires no proof. */
  provenSecret: string | null;
}

/** Bounds the memory; an entry takes about 200 bytes. */
const TOKENS_MAX = 50_000;

/**
 * The apps of access tokens that do not belong to the app of the environment. A token is noted whenever it is opened, which happens at
 * least once a minute while it is in use. Holds digests, so that no token stays in the clear.
 */
export class TokenApps {
  readonly #apps = new Map<string, GraphApp>();

  /** Notes the app of a token; null stands for the app of the environment. */
  note(token: string, app: GraphApp | null): void {
    if (app === null && this.#apps.size === 0) return;
    const digest = sha256Hex(token);
    this.#apps.delete(digest);
    if (app === null) return;
    this.#apps.set(digest, app);
    if (this.#apps.size <= TOKENS_MAX) return;
    for (const oldest of this.#apps.keys()) {
      this.#apps.delete(oldest);
      break;
    }
  }

  /** Returns the noted app of a token; undefined for the app of the environment. */
  find(token: string): GraphApp | undefined {
    return this.#apps.size === 0 ? undefined : this.#apps.get(sha256Hex(token));
  }
}
