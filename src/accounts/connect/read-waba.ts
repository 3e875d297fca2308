import type { Clock } from '../../core/time/clock.ts';
import { readDatabaseTime } from '../../database/connection/check-clock.ts';
import type { Queryable } from '../../database/database.ts';
import type { AppSubscription, CallFailure, ListedNumber, ListedTemplate, Upstream } from '../../upstream/index.ts';
import type { TokenOpener } from '../keys/token.ts';
import type { KnownNumber } from '../release-queries.ts';
import { findMovedNumbers } from './find-moved-numbers.ts';
import { errorOf, takeValue } from './take-value.ts';

/** What reading a business account needs of the upstream. */
export type WabaUpstream = Pick<Upstream, 'listPhoneNumbers' | 'listTemplates' | 'readSubscription' | 'subscribeApp'>;

/** All numbers and templates of a business account. */
export interface WabaReading {
  /** When the reading began (epoch ms): what happened later may be missing from it. */
  readAtMs: number;
  /** The same by PostgreSQL's clock, by which the readings of all nodes are in one order. */
  begunAt: Date;
  numbers: ListedNumber[];
  /** The app's subscription to its webhooks; undefined if the platform did not show it, which fails nothing else. */
  subscription: AppSubscription | undefined;
  /** Those of them that another organization has here, and no more at the platform. */
  moved: readonly KnownNumber[];
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
  deps: TokenOpener & {
    db: Queryable;
    upstream: WabaUpstream;
    clock: Clock;
    readAllTemplates: ReadAllTemplates;
  },
  organizationId: string,
  wabaId: string,
  token: string,
): Promise<WabaReading> {
  const readAtMs = deps.clock.now();
  const begunAt = new Date(await readDatabaseTime(deps.db));
  const { templates, goneIds, failure } = await deps.readAllTemplates(deps, organizationId, wabaId, token);
  if (failure !== undefined) throw errorOf(failure);
  // Last, because what is told of a number meanwhile is written over: thousands of templates take minutes to read.
  const [listed, subscribed] = await Promise.all([
    deps.upstream.listPhoneNumbers(wabaId, token),
    deps.upstream.readSubscription(wabaId, token),
  ]);
  const numbers = takeValue(listed);
  const subscription = subscribed.kind === 'ok' ? subscribed.value : undefined;
  const distinct = [...new Map(numbers.map((number) => [number.id, number])).values()];
  const whole = distinct.filter((number) => number.displayPhoneNumber !== null);
  const moved = await findMovedNumbers(
    deps,
    organizationId,
    whole.map(({ id }) => id),
  );
  return { readAtMs, begunAt, numbers: distinct, subscription, moved, templates, goneTemplateIds: goneIds };
}
