import type { Logger } from 'pino';
import type { Accounts } from '../../accounts/index.ts';
import { Chores } from '../../core/run/chores.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import type { CallFailure, Upstream } from '../../upstream/index.ts';
import { replaceTemplates, storeTemplates } from '../queries.ts';
import { readAllTemplates, type TemplateListing } from '../records/read-all-templates.ts';
import { type ClaimedPoll, claimPolls, finishPoll, readOpenTemplates } from './poll-queries.ts';
import { FULL_READING_EVERY_MS, isListCheaper, OPEN_STATUSES, pauseMs, payCalls } from './review-schedule.ts';

export interface ReviewPollDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  accounts: Pick<Accounts, 'tokenOf'>;
  upstream: Pick<Upstream, 'getTemplate' | 'listTemplates'>;
}

/** What a look at one WABA's templates brought. */
interface Look extends TemplateListing {
  /** Whether all templates of the WABA were read. */
  isComplete: boolean;
}

const TICK_MS = 1_000;
const CLAIMS_AT_ONCE = 4;
/** Longer than the slowest complete reading; a node that died leaves its WABAs unwatched for so long. */
const LEASE_MS = 10 * 60_000;

/**
 * Asks the upstream about templates whose review is open or which are paused, about those webhooks told of and nobody here knows,
 * and once a day about all: so records are right without webhooks too.
 *
 * The rows of `template_poll` say which WABA is due; claiming one holds it, so that several nodes share the work. Looks at a WABA
 * back off while nothing changes, and none begins before the calls of those before are paid for (`review-schedule.ts`).
 */
export class ReviewPoll {
  readonly #deps: ReviewPollDeps;
  readonly #chores: Chores;

  constructor(deps: ReviewPollDeps) {
    this.#deps = deps;
    this.#chores = new Chores(deps);
  }

  /** Looks at what is due, from now on. */
  start(): void {
    this.#chores.every(TICK_MS, () => this.#lookAtDue());
  }

  /** Begins no more calls; resolves when those under way have ended and are recorded. */
  stop(): Promise<void> {
    return this.#chores.stop();
  }

  async #lookAtDue(): Promise<void> {
    const { db, clock, log } = this.#deps;
    try {
      for (let more = true; more && !this.#chores.stopped; ) {
        const now = clock.now();
        const leaseEnd = new Date(now + LEASE_MS);
        const claimed = await claimPolls(db, { now: new Date(now), leaseEnd, limit: CLAIMS_AT_ONCE });
        await Promise.all(claimed.map((poll) => this.#lookAtWaba(poll)));
        more = claimed.length === CLAIMS_AT_ONCE;
      }
    } catch (error) {
      log.warn({ err: error }, 'templates could not be looked at');
    }
  }

  async #lookAtWaba(poll: ClaimedPoll): Promise<void> {
    const { db, clock, log } = this.#deps;
    const { wabaId } = poll;
    try {
      const readAtMs = clock.now();
      const { openIds, count } = await readOpenTemplates(db, poll);
      const ids = [...new Set([...poll.wantedIds, ...openIds])];
      const isFullDue = poll.fullyReadAt.getTime() + FULL_READING_EVERY_MS <= readAtMs;
      const look = await this.#look(poll, ids, isFullDue || isListCheaper(ids.length, count));
      await this.#store(poll, look, readAtMs);
      await this.#finish(poll, look, ids, readAtMs);
      if (look.failure !== undefined) log.warn({ wabaId, failure: look.failure.kind }, 'templates not all read');
    } catch (error) {
      // The row is free again when its lease ends.
      log.warn({ err: error, wabaId }, 'templates of a business account could not be looked at');
    }
  }

  async #look(poll: ClaimedPoll, ids: readonly string[], readsAll: boolean): Promise<Look> {
    const { token } = await this.#deps.accounts.tokenOf(poll.organizationId, poll.wabaId);
    if (readsAll) return this.#readAll(poll, token, 0);
    const look: Look = { calls: 0, isComplete: false, goneIds: [], templates: [], failure: undefined };
    for (const id of ids) {
      if (this.#chores.stopped) break;
      look.calls += 1;
      const read = await this.#deps.upstream.getTemplate(id, token);
      if (read.kind === 'ok') look.templates.push(read.value);
      // Gone, or no longer ours to see: what a complete reading says of it settles that.
      else if (read.kind === 'rejected') return this.#readAll(poll, token, look.calls);
      else return { ...look, failure: read };
    }
    return look;
  }

  async #readAll({ organizationId, wabaId }: ClaimedPoll, token: string, callsBefore: number): Promise<Look> {
    const listing = await readAllTemplates(this.#deps, organizationId, wabaId, token);
    return { ...listing, calls: callsBefore + listing.calls, isComplete: listing.failure === undefined };
  }

  async #store(poll: ClaimedPoll, look: Look, readAtMs: number): Promise<void> {
    const { organizationId, wabaId } = poll;
    if (!look.isComplete && look.templates.length === 0) return;
    await this.#deps.db.transaction((tx) =>
      look.isComplete
        ? replaceTemplates(tx, organizationId, wabaId, look.templates, readAtMs, look.goneIds)
        : storeTemplates(tx, poll, look.templates, readAtMs),
    );
  }

  async #finish(poll: ClaimedPoll, look: Look, ids: readonly string[], readAtMs: number): Promise<void> {
    const { db, clock } = this.#deps;
    const nowMs = clock.now();
    const failed = look.failure !== undefined;
    const fullAtMs = (look.isComplete ? readAtMs : poll.fullyReadAt.getTime()) + FULL_READING_EVERY_MS;
    const againAtMs = nowMs + Math.max(pauseMs(poll.looks), retryAfterMsOf(look.failure));
    const isAnyOpen =
      ids.length > 0 || look.templates.some((read) => read.name !== null && OPEN_STATUSES.includes(read.status));
    await finishPoll(db, poll, {
      readIds: look.isComplete ? poll.wantedIds : look.templates.flatMap(({ id }) => id ?? []),
      nextAtMs: failed ? againAtMs : isAnyOpen ? Math.min(fullAtMs, againAtMs) : fullAtMs,
      soonAtMs: failed ? againAtMs : nowMs + pauseMs(0),
      ...payCalls(poll.paidUntil.getTime(), look.calls, nowMs),
    });
  }
}

function retryAfterMsOf(failure: CallFailure | undefined): number {
  return failure !== undefined && 'retryAfterMs' in failure ? (failure.retryAfterMs ?? 0) : 0;
}
