import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';

/** `unreachable`: no usable answer. `cancelled`: the person said no. `refused`: anything else, such as a wrong nonce or a used code. */
export type FailureKind = 'unreachable' | 'cancelled' | 'refused';

/** Codes of the library that mean that no usable answer came. */
const WITHOUT_ANSWER: ReadonlySet<unknown> = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_JSON']);
/** Errors by which a provider says that a person went away or did not agree. */
const CANCELLED: ReadonlySet<string> = new Set([
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
]);
const WORD = /^[\w.-]{1,64}$/;

/** A failed step at the identity provider. Its message names codes only: no token, code, address or claim. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, reason: string) {
    super(reason);
    this.kind = kind;
  }
}

/** Returns the failure behind an error of the library, whose causes hold parameters and answers that must not be logged. */
export function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof AuthorizationResponseError) {
    return new ProviderFailure(CANCELLED.has(error.error) ? 'cancelled' : 'refused', wordOf(error.error));
  }
  if (error instanceof ResponseBodyError) {
    return new ProviderFailure(error.status >= 500 ? 'unreachable' : 'refused', wordOf(error.error));
  }
  if (error instanceof ClientError) {
    const isStatus = error.cause instanceof Response && error.cause.status >= 500;
    const kind = isStatus || error.code === undefined || WITHOUT_ANSWER.has(error.code) ? 'unreachable' : 'refused';
    return new ProviderFailure(kind, wordOf(error.code ?? codeOf(error.cause)));
  }
  return new ProviderFailure('unreachable', wordOf(codeOf(error)));
}

/** Returns the code of a failed connection, such as ECONNREFUSED, which `fetch` puts into a cause. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && error.code !== undefined ? error.code : codeOf(error.cause);
}

function wordOf(code: unknown): string {
  return typeof code === 'string' && WORD.test(code) ? code : 'unknown';
}
