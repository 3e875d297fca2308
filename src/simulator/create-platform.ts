import { seededRandom } from '../core/seeded-random.ts';
import type { Clock } from '../core/time/clock.ts';
import { FaultBook } from './control/faults.ts';
import { ConversationLedger } from './conversations/conversation-ledger.ts';
import { EdgeStore } from './edges/edge-store.ts';
import { CallLog } from './graph/call-log.ts';
import { ManagementUsage } from './graph/management-usage.ts';
import { IdSource } from './id-source.ts';
import { MediaStore } from './media/media-store.ts';
import { UploadSessions } from './media/upload-sessions.ts';
import { SendLimits } from './messages/send-limits.ts';
import { SendLog } from './messages/send-log.ts';
import type { StatusLatencies } from './messages/status-plan.ts';
import { ContactMemory } from './people/contact-memory.ts';
import { PeopleBook } from './people/people-book.ts';
import { type AccountKeeper, Agenda, type Platform, type PlatformSettings } from './platform.ts';
import { SignupCodes } from './signup/signup-codes.ts';
import { ViolationLog } from './violation-log.ts';
import { type DeliverWebhook, WebhookSender } from './webhooks/webhook-sender.ts';
import { World } from './world.ts';

export interface PlatformOptions extends Partial<Omit<PlatformSettings, 'statusLatencyMs'>> {
  clock: Clock;
  appId: string;
  /** Signs webhooks. */
  appSecret: string;
  /** For the webhook handshake. */
  verifyToken: string;
  /** Default 20, 60 and 200 ms after acceptance. */
  statusLatencyMs?: Partial<StatusLatencies>;
  /** Seed of the faults with a probability; default 1. */
  seed?: number;
  /** Default: 10,000 records with their bodies. */
  sendLog?: { recordsMax: number };
  /** Most bytes of stored media; the oldest objects go first. Default: no limit. */
  mediaBytesMax?: number;
  /** Default: accounts are those that were added, and stay. */
  keeper?: AccountKeeper;
  /** False leaves the control API out; default true. */
  hasControlApi?: boolean;
  webhooks?: {
    retryPausesMs?: readonly number[];
    /** If above 0, updates gather this long and share a POST. */
    batchWindowMs?: number;
    /** Takes the webhooks of all addresses instead of HTTP. */
    deliver?: DeliverWebhook;
  };
}

/** Pauses between attempts, growing as on the platform. The platform retries for days; one hour here outlasts any injected fault. */
const retryPausesMs = [0, 200, 1000, 2000, 5000, 10_000, 30_000, ...new Array<number>(60).fill(60_000)];

/** Assembles a platform without accounts. It does not listen yet. */
export function createPlatform(options: PlatformOptions): Platform {
  const { clock } = options;
  const ids = new IdSource();
  return {
    clock,
    ids,
    app: { id: options.appId, secret: options.appSecret, verifyToken: options.verifyToken },
    furtherApps: new Map(),
    settings: initialSettings(options),
    world: new World(),
    limits: new SendLimits(),
    violations: new ViolationLog(10_000),
    people: new PeopleBook(),
    contacts: new ContactMemory(),
    conversations: new ConversationLedger(),
    sends: new SendLog(options.sendLog?.recordsMax ?? 10_000),
    faults: new FaultBook(seededRandom(options.seed ?? 1)),
    magicAttempts: new Map(),
    media: new MediaStore(clock, ids, options.mediaBytesMax),
    uploads: new UploadSessions(ids),
    usage: new ManagementUsage(),
    calls: new CallLog(),
    edges: new EdgeStore(),
    signups: new SignupCodes(clock, ids),
    agenda: new Agenda(clock),
    webhooks: new WebhookSender({
      clock,
      appSecret: options.appSecret,
      retryPausesMs,
      batchWindowMs: 0,
      ...options.webhooks,
    }),
    keeper: options.keeper,
    hasControlApi: options.hasControlApi ?? true,
    origin: '',
  };
}

function initialSettings(options: PlatformOptions): PlatformSettings {
  return {
    webhookUrl: options.webhookUrl ?? null,
    statusLatencyMs: { sent: 20, delivered: 60, read: 200, ...options.statusLatencyMs },
    webhookVersion: options.webhookVersion ?? 'v24',
    limits: options.limits ?? 'strict',
    serviceWindow: options.serviceWindow ?? 'strict',
    freeServiceMessages: options.freeServiceMessages ?? 1_000,
    absentPhones: options.absentPhones ?? 'omitted',
    refuseUnknownFields: options.refuseUnknownFields ?? false,
    requireAppSecret: options.requireAppSecret ?? false,
    appFields: null,
    isAppActive: true,
    templateReviewMs: options.templateReviewMs ?? 50,
  };
}
