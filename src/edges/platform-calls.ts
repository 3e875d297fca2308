import { type Accounts, wabaNotFound } from '../accounts/index.ts';
import { AppError, unavailable } from '../core/errors.ts';
import { Slots } from '../core/limits/slots.ts';
import type { Clock } from '../core/time/clock.ts';
import { type PassedAnswer, type PassedUpload, retryAfterSecondsOf, type Upstream } from '../upstream/index.ts';
import type { CallBudget } from './call-budget.ts';
import type { Owned } from './owners/owned.ts';
import type { PassedBody } from './request/read-body.ts';
import type { Edge } from './table/edge.ts';

/** Calls in flight. They have no part in the connections of sends; the bound leaves the other calls of the gateway their share. */
const IN_FLIGHT = { max: 64, partyMax: 24 };
const SLOT_TIMEOUT_MS = 5_000;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

export interface PlatformCallDeps {
  accounts: Accounts;
  upstream: Pick<Upstream, 'passThrough'>;
  clock: Clock;
  budget: CallBudget;
}

/** The variable parts of a call. */
interface Request {
  /** The path behind the id, from the table's words and checked parts. */
  path: string;
  query: Readonly<Record<string, string>>;
  body: PassedBody | null;
  /** An upload in place of the id and the path. */
  upload?: PassedUpload;
}

/** Makes calls about objects that an organization owns, within the limits of calls in flight and of the account's hourly budget. */
export class PlatformCalls {
  readonly #deps: PlatformCallDeps;
  readonly #slots = new Slots(IN_FLIGHT);

  constructor(deps: PlatformCallDeps) {
    this.#deps = deps;
  }

  /** Makes a call of the table. Raises RATE_LIMITED, UNAVAILABLE, PROVIDER_REJECTED for a refused token, NOT_FOUND. */
  async call(
    organizationId: string,
    { objectId, wabaId }: Pick<Owned, 'objectId' | 'wabaId'>,
    edge: Pick<Edge, 'method' | 'budget' | 'timeoutMs'>,
    { path, query, body, upload }: Request,
  ): Promise<PassedAnswer> {
    const { accounts, clock, upstream, budget } = this.#deps;
    using slot = await this.#slots.acquire(organizationId, { clock, timeoutMs: SLOT_TIMEOUT_MS });
    if (slot === undefined) throw unavailable('The gateway makes all the calls it can. Try again.');
    const waba = await accounts.findWaba(organizationId, wabaId);
    if (waba === undefined) throw wabaNotFound();
    const { token } = await accounts.tokenOf(organizationId, wabaId);
    if (edge.budget === 'management') takeCall(budget, waba, clock.monotonicMs());
    const { method, timeoutMs } = edge;
    const answer = await upstream.passThrough({
      method,
      objectId,
      edge: path,
      query,
      body,
      upload,
      token,
      timeoutMs,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
    if (answer.kind === 'answered') {
      budget.heed(wabaId, answer, clock.monotonicMs());
      return answer;
    }
    if (answer.kind === 'credential') {
      throw new AppError('PROVIDER_REJECTED', 'The platform refuses the token of this business account.', {
        provider_error: answer.provider,
      });
    }
    const isDoubtful = answer.mayHaveHappened && method !== 'GET';
    throw new AppError(
      'UNAVAILABLE',
      isDoubtful
        ? 'The platform did not answer. The call may have taken effect: read the object before you repeat it.'
        : 'The platform could not be reached. Try again.',
      { retryAfterSeconds: retryAfterSecondsOf(answer) },
    );
  }

  /** Returns a page of a list about an organization's own object; undefined if it cannot be read now. */
  async readList(
    organizationId: string,
    owned: Owned,
    path: string,
    query: Record<string, string>,
  ): Promise<Buffer | undefined> {
    const edge = { method: 'GET', budget: 'management', timeoutMs: 10_000 } as const;
    try {
      const answer = await this.call(organizationId, owned, edge, { path, query, body: null });
      return answer.httpStatus < 300 ? answer.body : undefined;
    } catch (error) {
      // Without its list an id stays unknown; the next minute brings another attempt.
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }
}

function takeCall(budget: CallBudget, waba: { wabaId: string; hasRegisteredNumber: boolean }, nowMs: number): void {
  const waitMs = budget.take(waba, nowMs);
  if (waitMs === 0) return;
  throw new AppError('RATE_LIMITED', "The business account's calls of this hour are used up.", {
    retryAfterSeconds: waitMs / 1000,
  });
}
