import type { SecretBox } from '../../core/secret-box.ts';
import type { SignInSecrets } from './identity-provider.ts';
import type { Refusal } from './refusal.ts';

/** A sign-in that waits for the provider, or the reason for which the last one was refused. */
export type CookieContent = { pending: PendingSignIn } | { refusal: Refusal };

export interface PendingSignIn extends SignInSecrets {
  /** Address below `/console/` that the person wanted to see. */
  returnTo: string;
}

/** Time for a person to sign in at the provider. */
const PENDING_MS = 10 * 60_000;
const CONTEXT = 'console|sign-in';

/**
 * The cookie between the click at the console and the return from the provider. It is sealed, so no node keeps pending sign-ins, and the
 * browser can read or change none of it. It is `SameSite=Lax`, because the return is a navigation from another site.
 */
export class SealedCookie {
  readonly #box: Pick<SecretBox, 'seal' | 'open'>;
  readonly #now: () => number;
  readonly #name: string;
  readonly #attributes: string;

  /** @param isSecure true if people reach the console by https; the cookie then gets the prefix `__Host-` */
  constructor({ box, now, isSecure }: { box: Pick<SecretBox, 'seal' | 'open'>; now: () => number; isSecure: boolean }) {
    this.#box = box;
    this.#now = now;
    this.#name = isSecure ? '__Host-fairway_sign_in' : 'fairway_sign_in';
    this.#attributes = `HttpOnly; SameSite=Lax; Path=/${isSecure ? '; Secure' : ''}`;
  }

  /** Returns the header that stores the content. */
  store(content: CookieContent): string {
    const text = JSON.stringify({ ...content, untilMs: this.#now() + PENDING_MS });
    const sealed = this.#box.seal(text, CONTEXT).toString('base64url');
    return `${this.#name}=${sealed}; ${this.#attributes}; Max-Age=${PENDING_MS / 1000}`;
  }

  /** Returns the header that removes the cookie. */
  remove(): string {
    return `${this.#name}=; ${this.#attributes}; Max-Age=0`;
  }

  /** Returns the content of a request's cookie; undefined without one, and for an expired, altered or foreign one. */
  read(header: string | undefined): CookieContent | undefined {
    const pair = header?.split(/;\s*/).find((one) => one.startsWith(`${this.#name}=`));
    if (pair === undefined) return undefined;
    try {
      const sealed = Buffer.from(pair.slice(this.#name.length + 1), 'base64url');
      const { untilMs, ...content } = JSON.parse(this.#box.open(sealed, CONTEXT));
      return untilMs > this.#now() ? content : undefined;
    } catch {
      return undefined;
    }
  }
}
