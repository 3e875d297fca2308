import { checkEncryptionKey, findForgottenPlatform, readOnboardings, resealTokens } from './accounts/index.ts';
import type { AppOptions } from './app-options.ts';
import { resealAppSecrets } from './apps/index.ts';
import { noteClosingWindows } from './conversations/index.ts';
import { Chores } from './core/run/chores.ts';
import type { Service } from './core/run/service.ts';
import { checkClock } from './database/connection/check-clock.ts';
import { checkLocks } from './database/connection/check-locks.ts';
import type { Queryable } from './database/database.ts';
import { recordEvents } from './events/index.ts';
import { drainServer, type HttpServer } from './http/index.ts';
import { takeTestWebhook } from './inbound-webhooks/index.ts';
import { preparePartitions, scheduleMaintenance } from './maintenance.ts';
import { resealOnboardingSecrets } from './onboarding/index.ts';
import type { OnboardingParts } from './onboarding-parts.ts';
import { listOrganizationsAsking, resealWebhookSecrets } from './outbound-webhooks/index.ts';
import { reportNode } from './overview/index.ts';
import type { Base, Engine, TenantParts } from './parts.ts';
import { catchUpWithDump } from './restored-dump.ts';

/** Time limits of a stop. It takes at most their sum and two seconds, within the 15 s that operators are promised. */
const DRAIN_GRACE_MS = 2_000;
const ANSWER_MS = 3_000;
const DRAIN_MS = 7_000;
/** Time for deliveries in flight to end; a delivery without an answer is repeated after the next start. */
const DELIVERY_GRACE_MS = 2_000;
const EARLY_STATUSES_MS = 5_000;
const CLOSING_WINDOWS_MS = 30_000;
const USES_MS = 60_000;
/** Time between two reports of a node's own figures. */
const REPORT_MS = 5_000;
const ONBOARDINGS_MS = 60_000;
/** Time for calls to the platform that nothing waits for any more. */
const UPSTREAM_CLOSE_MS = 1_000;

/**
 * Lists the services in the order of their start. A stop runs the other way round: no new requests, requests in flight answered, sends in
 * flight ended, all results written.
 */
export function listServices(
  base: Base,
  tenants: TenantParts,
  engine: Engine,
  {
    http,
    retention,
    connectionsMax,
    drainGraceMs,
    onboarding,
  }: AppOptions & { http: HttpServer; onboarding: OnboardingParts },
): Service[] {
  const { db, directDb, clock, log, random, roles, changes, upstream, egress, testSimulator } = base;
  const {
    dispatcher,
    receiver,
    inboundBroadcast,
    outboundWebhooks,
    reviewPoll,
    earlyStatuses,
    waiters,
    watch,
    erasures,
    sentBodies,
  } = engine;
  const chores = new Chores({ clock, log });
  const listAsking = (queryable: Queryable) => listOrganizationsAsking(queryable, 'window.closing');
  const closing = { db, clock, listAsking, record: recordEvents };
  let pollEnded: Promise<void> | undefined;
  let deliveryEnded: Promise<void> | undefined;
  const reviews: Service = {
    name: 'template reviews',
    start: () => reviewPoll.start(),
    quiesce() {
      pollEnded = reviewPoll.stop();
    },
    stop: () => pollEnded,
  };
  const deliveries: Service = {
    name: 'deliveries',
    start: () => outboundWebhooks.start(),
    quiesce() {
      deliveryEnded = outboundWebhooks.stop(DELIVERY_GRACE_MS);
    },
    stop: () => deliveryEnded,
  };
  const api: Service[] = [
    { name: 'inbound broadcasts', start: () => inboundBroadcast.start(), stop: () => inboundBroadcast.stop() },
    { name: 'erasures', start: () => erasures.start(), stop: () => erasures.stop() },
    { name: 'bodies of sent messages', start: () => sentBodies.start(), stop: () => sentBodies.stop() },
    { name: 'onboardings', start: () => onboarding.work.start(), stop: () => onboarding.work.stop() },
    { name: 'webhook intake', start: () => receiver.start(), stop: () => receiver.stop() },
  ];
  return [
    { name: 'database', stop: () => db.close() },
    ...(directDb === db ? [] : [{ name: 'direct connections', stop: () => directDb.close() }]),
    { name: 'event loop delay', stop: () => base.eventLoopDelay.stop() },
    { name: 'checks of the database', start: (stop) => prepareDatabase(base, { retention, connectionsMax }, stop) },
    { name: 'spool', start: () => tenants.spool.sweep(clock.now()) },
    { name: 'change feed', start: () => changes.start(), stop: () => changes.stop() },
    ...(roles.has('dispatch') ? [reviews] : []),
    { name: 'test simulator', stop: () => testSimulator.close() },
    { name: 'upstream', stop: () => upstream.close(UPSTREAM_CLOSE_MS) },
    { name: 'dispatcher', start: () => dispatcher.start(), stop: () => dispatcher.stop(DRAIN_MS) },
    ...(roles.has('api') ? api : []),
    {
      name: 'webhooks of the test simulator',
      start: () =>
        testSimulator.beginDelivery((body, headers) =>
          takeTestWebhook({ receiver, appSecret: testSimulator.appSecret }, body, headers),
        ),
      stop: () => testSimulator.endDelivery(),
    },
    ...(roles.has('deliver') ? [deliveries] : []),
    {
      name: 'HTTP server',
      stop: () =>
        drainServer(http, {
          clock,
          graceMs: drainGraceMs ?? DRAIN_GRACE_MS,
          answerMs: ANSWER_MS,
          async endWaiting() {
            waiters.stop();
            await Promise.all([watch.stop(), deliveryEnded]);
            // Downloads can take longer than a stop may; requests that wait for a download are answered 503.
            await egress[Symbol.asyncDispose]();
          },
        }),
    },
    {
      name: 'chores',
      start() {
        if (roles.has('dispatch')) {
          chores.every(EARLY_STATUSES_MS, () => earlyStatuses.apply());
          chores.every(
            ONBOARDINGS_MS,
            () => readOnboardings({ ...base, accounts: tenants.accounts }),
            random() * ONBOARDINGS_MS,
          );
        }
        chores.every(USES_MS, () => tenants.keyring.noteUses());
        chores.every(USES_MS, () => tenants.operators.noteUses());
        chores.every(USES_MS, () => tenants.sessions.noteUses());
        chores.every(REPORT_MS, () => reportNode({ ...base, dispatcher }));
        if (roles.has('deliver')) chores.every(CLOSING_WINDOWS_MS, () => noteClosingWindows(closing));
        scheduleMaintenance(chores, { db, clock, log, media: tenants.media, outboundWebhooks, retention, random });
      },
      quiesce: () => void chores.stop(),
    },
  ];
}

/** Refuses a database that this process must not work on, and prepares today's tables. */
async function prepareDatabase(
  { db, directDb, clock, log, platform, secretBox }: Base,
  { retention, connectionsMax }: Pick<AppOptions, 'retention' | 'connectionsMax'>,
  stop: AbortSignal | undefined,
): Promise<void> {
  await checkClock({ db, clock });
  await checkLocks({ db, log }, { days: retention.messageDays, connections: connectionsMax });
  const forgotten = await findForgottenPlatform({ db, platform });
  if (forgotten !== undefined) throw forgotten;
  await checkEncryptionKey({ db, secretBox });
  const sealing = { db, secretBox };
  const resealed =
    (await resealTokens(sealing)) +
    (await resealWebhookSecrets(sealing)) +
    (await resealAppSecrets(sealing)) +
    (await resealOnboardingSecrets(sealing));
  if (resealed > 0) log.info({ resealed }, 'secrets sealed again with the first encryption key');
  await catchUpWithDump({ db: directDb, log }, stop);
  await preparePartitions({ db, clock });
}
