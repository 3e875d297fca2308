import type { Clock } from '../../core/time/clock.ts';
import { readDatabaseTime } from '../../database/connection/check-clock.ts';
import type { Queryable } from '../../database/database.ts';
import type { AppSubscription, CallFailure, ListedNumber, ListedTemplate, Upstream } from '../../upstream/index.ts';
import type { TokenOpener } from '../keys/token.ts';
import type { KnownNumber } from '../release-queries.ts';
import { findMovedNumbers } from './find-moved-numbers.ts';
import { errorOf, takeValue } from './take-value.ts';

/** Upstream calls for reading a business account. */
export type WabaUpstream = Pick<
  Upstream,
  'listPhoneNumbers' | 'listTemplates' | 'readOnboarding' | 'readSubscription' | 'subscribeApp'
>;

/** All numbers and templates of a business account. */
export interface WabaReading {
  /** Time at which the reading began (epoch ms): later changes may be missing from it. */
  readAtMs: number;
  /** The same time by PostgreSQL's clock, which orders the readings of all nodes. */
  begunAt: Date;
  numbers: ListedNumber[];
  /** The app's subscription to its webhooks; undefined if the platform did not show it, which is no error. */
  subscription: AppSubscription | undefined;
  /** Its admission to `/marketing_messages`; undefined if the platform did not show it, which is no error. */
  onboarding: { status: string | null } | undefined;
  /** Numbers that another organization has here, but no longer at the platform. */
  moved: readonly KnownNumber[];
  templates: ListedTemplate[];
  /** Ids of templates that were stored when the reading began and no longer exist upstream. */
  goneTemplateIds: readonly string[];
}

/** Reads all templates of a business account, and finds the stored ones that no longer exist. */
export type ReadAllTemplates = (
  deps: { db: Queryable; upstream: WabaUpstream },
  organizationId: string,
  wabaId: string,
  token: string,
) => Promise<{ templates: ListedTemplate[]; goneIds: readonly string[]; failure: CallFailure | undefined }>;

/** Reads all pages of a business account. Raises PROVIDER_REJECTED with the upstream's words, and UNAVAILABLE. */
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
  // Read the numbers last: thousands of templates take minutes, and webhooks about numbers in that time would be overwritten.
  const [listed, subscribed, admitted] = await Promise.all([
    deps.upstream.listPhoneNumbers(wabaId, token),
    deps.upstream.readSubscription(wabaId, token),
    deps.upstream.readOnboarding(wabaId, token),
  ]);
  const numbers = takeValue(listed);
  const subscription = subscribed.kind === 'ok' ? subscribed.value : undefined;
  const onboarding = admitted.kind === 'ok' ? admitted.value : undefined;
  const distinct = [...new Map(numbers.map((number) => [number.id, number])).values()];
  const whole = distinct.filter((number) => number.displayPhoneNumber !== null);
  const moved = await findMovedNumbers(
    deps,
    organizationId,
    whole.map(({ id }) => id),
  );
  return { readAtMs, begunAt, numbers: distinct, subscription, onboarding, moved, templates, goneTemplateIds: goneIds };
}
