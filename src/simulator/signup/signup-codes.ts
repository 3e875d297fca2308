import type { Clock } from '../../core/time/clock.ts';
import { GraphError } from '../graph/graph-errors.ts';
import type { IdSource } from '../id-source.ts';

/** A code that the dialog has given. */
interface SignupCode {
  accessToken: string;
  /** Address that the dialog returned to; null for a code of the control API without one. */
  redirectUri: string | null;
  expiresAtMs: number;
  isUsed: boolean;
}

/** Life of a code, in ms. */
const LIFE_MS = 30_000;

/** The codes of sign-ups. Each works once, before its end, with the address of its dialog. */
export class SignupCodes {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #ids: IdSource;
  readonly #codes = new Map<string, SignupCode>();

  constructor(clock: Pick<Clock, 'now'>, ids: IdSource) {
    this.#clock = clock;
    this.#ids = ids;
  }

  /** Returns a code for a token. */
  issue(accessToken: string, redirectUri: string | null, lifeMs = LIFE_MS): string {
    const code = this.#ids.opaque(64);
    this.#codes.set(code, { accessToken, redirectUri, expiresAtMs: this.#clock.now() + lifeMs, isUsed: false });
    return code;
  }

  /** Returns the token of a code, which is used up. Raises the platform's errors for a code that is unknown, used, expired or another dialog's. */
  redeem(code: string, redirectUri: string | null): string {
    const issued = this.#codes.get(code);
    if (issued === undefined) throw refused(undefined, 'Invalid verification code format.');
    if (issued.isUsed) throw refused(36009, 'This authorization code has been used.');
    if (this.#clock.now() >= issued.expiresAtMs) throw refused(36007, 'This authorization code has expired.');
    if (issued.redirectUri !== redirectUri) {
      const words = 'Error validating verification code. The redirect_uri must be identical to that of the dialog.';
      throw refused(36008, words);
    }
    issued.isUsed = true;
    return issued.accessToken;
  }

  clear(): void {
    this.#codes.clear();
  }
}

function refused(subcode: number | undefined, message: string): GraphError {
  return new GraphError(100, { message, ...(subcode !== undefined && { subcode }) });
}
