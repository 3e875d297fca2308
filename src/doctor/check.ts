import type { Apps } from '../apps/index.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../database/database.ts';
import type { AppCredentials, CallResult, Upstream } from '../upstream/index.ts';
import { mapBounded } from './map-bounded.ts';
import type { CheckedWaba, Selection } from './queries.ts';

export const STATUSES = ['ok', 'warning', 'failed', 'skipped'] as const;
type Status = (typeof STATUSES)[number];

/** The judgement of one check about one subject. Holds no secret. */
export interface Verdict {
  /** `postgres`, `gateway`, `platform`, `app`, `app <id>`, `waba <id>`, `number <id>`, `endpoint <id>`. */
  subject: string;
  organizationId?: string;
  status: Status;
  /** The finding, in one sentence. */
  message: string;
  /** The remedy; absent if none is needed. */
  advice?: string;
  /** True if `POST /admin/v1/doctor/fixes` can repair it. */
  isFixable?: boolean;
}

/** One check: its id is also its anchor in `docs/doctor.md`. */
export interface Check {
  id: string;
  run: (context: CheckContext) => Promise<Verdict[]> | Verdict[];
}

/** Settings of the process that the checks judge. No verdict may quote a secret among them. */
export interface DoctorSettings {
  adminToken: string;
  encryptionKeys: readonly Buffer[];
  appId: string | null;
  appSecrets: readonly string[];
  verifyToken: string;
  publicUrl: string | null;
  upstreamBaseUrl: string;
  connectionsMax: number;
  messageDays: number;
  spoolDir: string;
}

export interface DoctorDeps {
  db: Database;
  clock: Clock;
  upstream: Upstream;
  apps: Pick<Apps, 'list'>;
  tokenOf: (organizationId: string, wabaId: string) => { token: string } | Promise<{ token: string }>;
  settings: DoctorSettings;
  /** Asks the identity provider of the console for its discovery document; `null` if there is no provider. Rejects with the reason. */
  checkProvider: (() => Promise<void>) | null;
}

/** A Meta app of the gateway, with the platform's answer about its webhooks. */
export interface KnownApp {
  /** `app` for that of the environment, `app <id>` for a further one. */
  subject: string;
  credentials: AppCredentials;
  verifyToken: string;
  /** Path of its webhooks at this gateway. */
  webhookPath: string;
  answer: Awaited<ReturnType<Upstream['readAppWebhooks']>>;
}

export type PublicUrlState = 'unset' | 'unprotected' | 'unreachable' | 'working';

/** Facts of one run. Each is read once, however many checks ask for it. */
export interface CheckContext extends DoctorDeps {
  selection: Selection;
  /** Business accounts of this run, the one synced longest ago first. */
  wabas: () => Promise<CheckedWaba[]>;
  /** The state of `PUBLIC_URL`; only a working one can be compared with addresses at the platform. */
  publicUrl: () => Promise<PublicUrlState>;
  app: () => ReturnType<Upstream['readAppWebhooks']> | undefined;
  /** The apps whose id and secret are known, that of the environment first. */
  knownApps: () => Promise<KnownApp[]>;
  /** True if a key of this node opens the stored token. */
  isTokenReadable: (waba: CheckedWaba) => Promise<boolean>;
  token: (waba: CheckedWaba) => Promise<Awaited<ReturnType<Upstream['debugToken']>> | undefined>;
  subscription: (waba: CheckedWaba) => ReturnType<Upstream['readSubscription']>;
  numbers: (waba: CheckedWaba) => ReturnType<Upstream['readNumberHealth']>;
}

/** Returns the verdict of a check whose call to the platform gave no answer to judge; another check names the cause. */
export function skippedFor(
  at: Pick<Verdict, 'subject' | 'organizationId'>,
  failure: Exclude<CallResult<never>, { kind: 'ok' }> | undefined,
): Verdict {
  return { ...at, status: 'skipped', message: reasonOf(failure) };
}

function reasonOf(failure: Exclude<CallResult<never>, { kind: 'ok' }> | undefined): string {
  switch (failure?.kind) {
    case undefined:
      return 'UPSTREAM_APP_ID or UPSTREAM_APP_SECRET is not set, and this check needs both.';
    case 'credential':
      return 'The platform refuses the token of this call.';
    case 'rejected':
      return `The platform refuses the call with code ${failure.code}.`;
    case 'throttled':
      return 'The platform throttles calls; try again later.';
    case 'unavailable':
      return 'The platform gave no usable answer.';
  }
}

/** Business accounts that are asked about at the same time. */
const WABAS_AT_ONCE = 8;

/** Judges every business account of the run on its own, a few at the same time. */
export async function judgeWabas(
  { wabas }: CheckContext,
  judge: (waba: CheckedWaba) => Promise<Verdict[]>,
): Promise<Verdict[]> {
  return (await mapBounded(await wabas(), WABAS_AT_ONCE, judge)).flat();
}

/** The subject of a business account. */
export function wabaSubject({ wabaId, organizationId }: CheckedWaba): Pick<Verdict, 'subject' | 'organizationId'> {
  return { subject: `waba ${wabaId}`, organizationId };
}
