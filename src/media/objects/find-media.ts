import type { Accounts, SendingNumber } from '../../accounts/index.ts';
import { AppError } from '../../core/errors.ts';
import { bucketLimit } from '../../core/limits/rate-limit.ts';
import type { RateMeter } from '../../core/limits/rate-meter.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import {
  type CallFailure,
  type CallResult,
  retryAfterSecondsOf,
  type Upstream,
  type UpstreamMedia,
} from '../../upstream/index.ts';
import { isOfAnotherOrganization, type KnownMedia, listMedia } from '../queries.ts';
import { isMediaId } from './media-references.ts';

export interface FindDeps {
  db: Queryable;
  clock: Clock;
  accounts: Accounts;
  upstream: Upstream;
  /** Counts the upstream lookups of each organization for ids that are not known here. */
  lookups: RateMeter;
}

/** Selects a media object; `phoneNumberId` restricts it to one of the organization's numbers, as upstream. */
export interface MediaSelector {
  organizationId: string;
  mediaId: string;
  phoneNumberId: string | undefined;
}

/** Media object as the upstream has it, with the data needed to use it. */
export interface FoundMedia {
  media: UpstreamMedia;
  token: string;
  /** Number under which the upstream knows it; undefined if it knows a received file under no number. */
  phoneNumberId: string | undefined;
  /** File name as cleaned at upload or reception; absent if not known here. */
  fileName: string | undefined;
}

/** 60 lookups at once, and one more a second. */
const LOOKUP_RATE = bucketLimit(1_000, 60);
/** Most numbers tried for one id; an organization with more has to name the number. */
const NUMBERS_ASKED_MAX = 10;

/**
 * Finds a media object of the organization upstream. An object known here, uploaded or received, is requested under its own number. Any
 * other is requested under a few of the organization's numbers. The upstream always gets the number that the object must belong to: one
 * token may reach several organizations' accounts, so it proves nothing by itself. An id known as another organization's is not
 * requested.
 * Raises NOT_FOUND, RATE_LIMITED, PROVIDER_REJECTED, UNAVAILABLE.
 */
export async function findMedia(deps: FindDeps, selector: MediaSelector): Promise<FoundMedia> {
  const { organizationId, mediaId } = selector;
  if (!isMediaId(mediaId)) throw mediaNotFound();
  const [known] = await listMedia(deps.db, organizationId, [mediaId]);
  if (known === undefined) {
    takeLookup(deps, organizationId);
    if (await isOfAnotherOrganization(deps.db, organizationId, mediaId)) throw mediaNotFound();
  }
  const numbers = await listCandidates(deps, selector, known?.phoneNumberId ?? selector.phoneNumberId);
  let trouble: AppError | undefined;
  for (const number of numbers) {
    const { token } = await deps.accounts.tokenOf(organizationId, number.wabaId);
    const { result, phoneNumberId } = await askUnder(deps, { mediaId, token, number, known });
    if (result.kind === 'ok')
      return { media: result.value, token, phoneNumberId, fileName: known?.fileName ?? undefined };
    // Another kind of node, such as a business account, has no download URL, so its answer does not describe a media object.
    const isNoMedia = result.kind === 'unavailable' && result.reason === 'unreadable_answer';
    if (!isUnknown(result) && !isNoMedia) trouble ??= mediaErrorOf(result);
  }
  throw trouble ?? mediaNotFound();
}

/**
 * Requests an object from the upstream under a number. For some accounts, the upstream then refuses files that people sent, because the
 * number did not upload them. Such files are requested again without the number: a signed webhook has named them as the organization's.
 */
async function askUnder(
  { upstream }: FindDeps,
  asked: { mediaId: string; token: string; number: SendingNumber; known: KnownMedia | undefined },
): Promise<{ result: CallResult<UpstreamMedia>; phoneNumberId: string | undefined }> {
  const { mediaId, token, number, known } = asked;
  const result = await upstream.getMedia(mediaId, token, number.phoneNumberId);
  const isParameterRefused = result.kind === 'rejected' && result.code === '100';
  if (!isParameterRefused || known?.isReceived !== true) return { result, phoneNumberId: number.phoneNumberId };
  return { result: await upstream.getMedia(mediaId, token, undefined), phoneNumberId: undefined };
}

/**
 * Returns the numbers that the object may belong to: `phoneNumberId` alone unless another number was requested, or all of them if it is
 * undefined.
 */
async function listCandidates(
  { accounts }: FindDeps,
  { organizationId, phoneNumberId: wanted }: MediaSelector,
  phoneNumberId: string | undefined,
): Promise<SendingNumber[]> {
  if (phoneNumberId === undefined) return await accounts.listNumbers(organizationId, NUMBERS_ASKED_MAX);
  if (wanted !== undefined && wanted !== phoneNumberId) return [];
  const number = await accounts.findNumber(organizationId, phoneNumberId);
  return number === undefined ? [] : [number];
}

function takeLookup({ lookups, clock }: FindDeps, organizationId: string): void {
  const waitMs = lookups.take(organizationId, LOOKUP_RATE, clock.monotonicMs());
  if (waitMs === 0) return;
  throw new AppError('RATE_LIMITED', 'Too many media ids that are not known here were asked for.', {
    retryAfterSeconds: waitMs / 1000,
  });
}

/**
 * Returns the answer for an id that names nothing of the organization: the same for another organization's id, a deleted one or an
 * invented one.
 */
function mediaNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is nothing with this id.');
}

/** Error codes of the upstream for an object that does not exist, or not for this token and number. */
const UNKNOWN_CODES = ['33', '100', '803'];

/** Returns true if the upstream says that there is no such object. */
export function isUnknown(failure: CallFailure): boolean {
  return failure.kind === 'rejected' && UNKNOWN_CODES.includes(failure.code);
}

/** Returns the caller's error for a failed call about a media object. */
export function mediaErrorOf(failure: CallFailure): AppError {
  if (isUnknown(failure)) return mediaNotFound();
  switch (failure.kind) {
    case 'credential':
    case 'rejected':
      return new AppError('PROVIDER_REJECTED', failure.message, { provider_error: failure.provider });
    case 'throttled':
    case 'unavailable':
      return new AppError('UNAVAILABLE', 'The upstream platform could not be reached. Try again.', {
        retryAfterSeconds: retryAfterSecondsOf(failure),
      });
  }
}
