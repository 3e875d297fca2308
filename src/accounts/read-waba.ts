import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Queryable } from '../database/database.ts';
import type { CallFailure, CallResult, ListedNumber, ListedTemplate, Upstream } from '../upstream/index.ts';

/** What reading a business account needs of the upstream. */
export type WabaUpstream = Pick<Upstream, 'listPhoneNumbers' | 'listTemplates' | 'subscribeApp'>;

/** All numbers and templates of a business account. */
export interface WabaReading {
  /** When the reading began (epoch ms): what happened later may be missing from it. */
  readAtMs: number;
  numbers: ListedNumber[];
  templates: ListedTemplate[];
  /** The ids of the templates that were stored then and are gone. */
  goneTemplateIds: readonly string[];
}

/** Reads all templates of a business account, and tells which of those that are stored are gone. */
export type ReadAllTemplates = (
  deps: { db: Queryable; upstream: WabaUpstream },
  organizationId: string,
  wabaId: string,
  token: string,
) => Promise<{ templates: ListedTemplate[]; goneIds: readonly string[]; failure: CallFailure | undefined }>;

/** Reads a business account, all pages. Raises PROVIDER_REJECTED with the upstream's words, and UNAVAILABLE. */
export async function readWaba(
  deps: { db: Queryable; upstream: WabaUpstream; clock: Clock; readAllTemplates: ReadAllTemplates },
  organizationId: string,
  wabaId: string,
  token: string,
): Promise<WabaReading> {
  const readAtMs = deps.clock.now();
  const { templates, goneIds, failure } = await deps.readAllTemplates(deps, organizationId, wabaId, token);
  if (failure !== undefined) throw errorOf(failure);
  // Last, because what is told of a number meanwhile is written over: thousands of templates take minutes to read.
  const numbers = takeValue(await deps.upstream.listPhoneNumbers(wabaId, token));
  const distinct = [...new Map(numbers.map((number) => [number.id, number])).values()];
  return { readAtMs, numbers: distinct, templates, goneTemplateIds: goneIds };
}

/** The value of a call. Raises what `errorOf` makes of a failure. */
export function takeValue<T>(result: CallResult<T>): T {
  if (result.kind !== 'ok') throw errorOf(result);
  return result.value;
}

/** A failure as the operator is told of it: PROVIDER_REJECTED, UNAVAILABLE. */
function errorOf(failure: CallFailure): AppError {
  switch (failure.kind) {
    case 'rejected':
    case 'credential':
      return new AppError('PROVIDER_REJECTED', `The upstream platform refused: ${failure.provider.error_user_msg}`, {
        provider_error: failure.provider,
      });
    case 'throttled':
      return new AppError('UNAVAILABLE', 'The upstream platform takes no more calls for now. Try again later.', {
        retryAfterSeconds: (failure.retryAfterMs ?? 60_000) / 1000,
      });
    case 'unavailable':
      return new AppError('UNAVAILABLE', 'The upstream platform cannot be reached. Try again.', {
        retryAfterSeconds: (failure.retryAfterMs ?? 1_000) / 1000,
      });
  }
}
