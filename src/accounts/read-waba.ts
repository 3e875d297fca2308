import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Queryable } from '../database/database.ts';
import type { CallResult, ListedNumber, ListedTemplate, Upstream } from '../upstream/index.ts';

/** What reading a business account needs of the upstream. */
export type WabaUpstream = Pick<Upstream, 'listPhoneNumbers' | 'listTemplates' | 'subscribeApp'>;

/** All numbers and templates of a business account. */
export interface WabaReading {
  /** When the reading began (epoch ms): what happened later may be missing from it. */
  readAtMs: number;
  /** The ids of the templates that were stored then. */
  knownTemplateIds: string[];
  numbers: ListedNumber[];
  templates: ListedTemplate[];
}

/** The ids of the templates stored of a business account. */
export type ListTemplateIds = (db: Queryable, organizationId: string, wabaId: string) => Promise<string[]>;

/** Reads a business account, all pages. Raises PROVIDER_REJECTED with the upstream's words, and UNAVAILABLE. */
export async function readWaba(
  deps: { db: Queryable; upstream: WabaUpstream; clock: Clock; listTemplateIds: ListTemplateIds },
  organizationId: string,
  wabaId: string,
  token: string,
): Promise<WabaReading> {
  const readAtMs = deps.clock.now();
  const knownTemplateIds = await deps.listTemplateIds(deps.db, organizationId, wabaId);
  let templates: ListedTemplate[] = [];
  for await (const page of deps.upstream.listTemplates(wabaId, token)) templates = templates.concat(takeValue(page));
  // Last, because what is told of a number meanwhile is written over: thousands of templates take minutes to read.
  const numbers = takeValue(await deps.upstream.listPhoneNumbers(wabaId, token));
  const distinct = [...new Map(numbers.map((number) => [number.id, number])).values()];
  return { readAtMs, knownTemplateIds, numbers: distinct, templates };
}

/** The value of a call, or the failure as the operator is told of it. Raises PROVIDER_REJECTED, UNAVAILABLE. */
export function takeValue<T>(result: CallResult<T>): T {
  switch (result.kind) {
    case 'ok':
      return result.value;
    case 'rejected':
    case 'credential':
      throw new AppError('PROVIDER_REJECTED', `The upstream platform refused: ${result.provider.error_user_msg}`, {
        provider_error: result.provider,
      });
    case 'throttled':
      throw new AppError('UNAVAILABLE', 'The upstream platform takes no more calls for now. Try again later.', {
        retryAfterSeconds: (result.retryAfterMs ?? 60_000) / 1000,
      });
    case 'unavailable':
      throw new AppError('UNAVAILABLE', 'The upstream platform cannot be reached. Try again.', {
        retryAfterSeconds: (result.retryAfterMs ?? 1_000) / 1000,
      });
  }
}
