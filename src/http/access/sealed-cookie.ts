import type { SecretBox } from '../../core/secret-box.ts';

interface CookieOptions {
  box: Pick<SecretBox, 'seal' | 'open'>;
  now: () => number;
  /** True if people reach the gateway by https; the cookie then gets the prefix `__Host-`. */
  isSecure: boolean;
  name: string;
  /** Names the use, so that a cookie of one use is none of another. */
  context: string;
  /** Life of the content, in ms. */
  lifeMs: number;
}

/**
 * A cookie whose content is sealed, so no node keeps it, and the browser can read or change none of it. It is `SameSite=Lax`, because the
 * return from a dialog is a navigation from another site.
 */
export class SealedCookie<Content extends object> {
  readonly #options: CookieOptions;
  readonly #name: string;
  readonly #attributes: string;

  constructor(options: CookieOptions) {
    this.#options = options;
    this.#name = options.isSecure ? `__Host-${options.name}` : options.name;
    this.#attributes = `HttpOnly; SameSite=Lax; Path=/${options.isSecure ? '; Secure' : ''}`;
  }

  /** Returns the header that stores the content. */
  store(content: Content): string {
    const { box, now, context, lifeMs } = this.#options;
    const text = JSON.stringify({ ...content, untilMs: now() + lifeMs });
    const sealed = box.seal(text, context).toString('base64url');
    return `${this.#name}=${sealed}; ${this.#attributes}; Max-Age=${lifeMs / 1000}`;
  }

  /** Returns the header that removes the cookie. */
  remove(): string {
    return `${this.#name}=; ${this.#attributes}; Max-Age=0`;
  }

  /** Returns the content of a request's cookie; undefined without one, and for an expired, altered or foreign one. */
  read(header: string | undefined): Content | undefined {
    const pair = header?.split(/;\s*/).find((one) => one.startsWith(`${this.#name}=`));
    if (pair === undefined) return undefined;
    const { box, now, context } = this.#options;
    try {
      const sealed = Buffer.from(pair.slice(this.#name.length + 1), 'base64url');
      const { untilMs, ...content } = JSON.parse(box.open(sealed, context));
      return untilMs > now() ? content : undefined;
    } catch {
      return undefined;
    }
  }
}
