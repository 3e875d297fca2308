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

/** Result of a look at one WABA's templates. */
interface Look extends TemplateListing {
  /** True if all templates of the WABA were read. */
  isComplete: boolean;
}

const TICK_MS = 1_000;
/** Time between looks after one that found no account due. */
const IDLE_MS = 5_000;
const CLAIMS_AT_ONCE = 4;
/** Longer than the slowest complete reading. If a node dies, its WABAs are unwatched until this lease expires. */
const LEASE_MS = 10 * 60_000;

/**
 * Polls the upstream about templates in review or paused and about unknown templates that webhooks name, and once a day about all. So
 * records become right without webhooks, too.
 *
 * Rows of `template_poll` hold the due time of each WABA. Claiming a row holds it, so that several nodes share the work. Looks at a WABA
 * back off while nothing changes. None begins before earlier calls are paid for (`review-schedule.ts`).
 */
export class ReviewPoll {
  readonly #deps: ReviewPollDeps;
  readonly #chores: Chores;
  #foundNone = false;

  constructor(deps: ReviewPollDeps) {
    this.#deps = deps;
    this.#chores = new Chores(deps);
  }

  /** Starts looking at due WABAs. */
  start(): void {
    this.#chores.every(
      () => (this.#foundNone ? IDLE_MS : TICK_MS),
      () => this.#lookAtDue(),
    );
  }

  /** Begins no more calls; resolves when those in progress have ended and are recorded. */
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
        this.#foundNone = claimed.length === 0;
        await Promise.all(claimed.map((poll) => this.#lookAtWaba(poll)));
        more = claimed.length === CLAIMS_AT_ONCE;
      }
    } catch (error) {
      log.warn({ err: error }, 'could not poll templates; trying again at the next tick');
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
      if (look.failure !== undefined)
        log.warn({ wabaId, failure: look.failure.kind }, 'could not read all templates; trying again later');
    } catch (error) {
      // The row becomes free when its lease expires.
      log.warn({ err: error, wabaId }, 'could not poll templates of one account; trying again after the lease');
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
      // Deleted, or no longer visible to this token: a complete reading decides.
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
