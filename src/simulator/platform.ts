import type { Clock } from '../core/time/clock.ts';
import { appOfWaba, type SimulatedApp } from './apps.ts';
import type { FaultBook } from './control/faults.ts';
import type { ConversationLedger } from './conversations/conversation-ledger.ts';
import type { EdgeStore } from './edges/edge-store.ts';
import type { CallLog } from './graph/call-log.ts';
import { asObject } from './graph/json-object.ts';
import type { ManagementUsage } from './graph/management-usage.ts';
import type { IdSource } from './id-source.ts';
import type { MediaItem, MediaStore } from './media/media-store.ts';
import type { UploadSessions } from './media/upload-sessions.ts';
import type { SendLimits } from './messages/send-limits.ts';
import type { SendLog } from './messages/send-log.ts';
import type { StatusLatencies } from './messages/status-plan.ts';
import type { ContactMemory } from './people/contact-memory.ts';
import type { PeopleBook } from './people/people-book.ts';
import type { SignupCodes } from './signup/signup-codes.ts';
import type { ViolationLog } from './violation-log.ts';
import type { WebhookVersion } from './webhooks/status-webhooks.ts';
import type { PostOptions, WebhookDelivery, WebhookSender } from './webhooks/webhook-sender.ts';
import { buildWebhookPayload, type WebhookUpdate } from './webhooks/webhook-updates.ts';
import type { World } from './world.ts';

/** Settings that can change while the simulator runs. */
export interface PlatformSettings {
  webhookUrl: string | null;
  statusLatencyMs: StatusLatencies;
  /** Payload shape of status webhooks. */
  webhookVersion: WebhookVersion;
  /** `strict` answers 130429 and 131056 as upstream; `off` admits everything. */
  limits: 'strict' | 'off';
  /** `strict` fails free-form messages outside the 24-hour window; `off` delivers them. */
  serviceWindow: 'strict' | 'off';
  /** Service messages of each number that are free in a calendar month. */
  freeServiceMessages: number;
  /** Spelling of a hidden phone in webhooks: the member is left out, or an empty string. */
  absentPhones: 'omitted' | 'empty';
  /** Refuses unknown top-level members of a send with 100. */
  refuseUnknownFields: boolean;
  /** Refuses calls without `appsecret_proof` with 100, as an app does with *Require App Secret* on. */
  requireAppSecret: boolean;
  /** Fields to which the app is subscribed; null stands for all. Other fields post no webhook. */
  appFields: string[] | null;
  /** False if the app's subscription is switched off; then no webhook is posted. */
  isAppActive: boolean;
  /** Milliseconds from a template's creation to its verdict. */
  templateReviewMs: number;
}

/** Creates accounts when calls name them, and forgets them again. */
export interface AccountKeeper {
  /** Prepares the account of a token, before the call is carried out. */
  prepare: (token: string) => Promise<void>;
  /** Takes note of the bytes that a call with the token may have stored. */
  noteStored: (token: string, bytes: number) => void;
}

/** The parts of the simulated platform; the first argument of its actions. */
export interface Platform {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly app: { id: string; secret: string; verifyToken: string };
  /** Apps beside the first one, by id. */
  readonly furtherApps: Map<string, SimulatedApp>;
  readonly settings: PlatformSettings;
  readonly world: World;
  readonly limits: SendLimits;
  readonly violations: ViolationLog;
  readonly people: PeopleBook;
  readonly contacts: ContactMemory;
  readonly conversations: ConversationLedger;
  readonly sends: SendLog;
  readonly faults: FaultBook;
  readonly media: MediaStore;
  /** Sends so far to each magic recipient, per number. */
  readonly magicAttempts: Map<string, number>;
  readonly webhooks: WebhookSender;
  readonly agenda: Agenda;
  readonly uploads: UploadSessions;
  readonly usage: ManagementUsage;
  readonly calls: CallLog;
  readonly edges: EdgeStore;
  readonly keeper: AccountKeeper | undefined;
  readonly signups: SignupCodes;
  readonly hasControlApi: boolean;
  /** `http://host:port` once it listens. */
  origin: string;
}

/** Scheduled actions, with a way to wait until none is left. */
export class Agenda {
  readonly #clock: Clock;
  readonly #cancels = new Set<() => void>();
  readonly #emptyListeners: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  schedule(delayMs: number, run: () => void): void {
    const cancel = this.#clock.schedule(delayMs, () => {
      this.#cancels.delete(cancel);
      run();
      this.#tellIfEmpty();
    });
    this.#cancels.add(cancel);
  }

  whenEmpty(): Promise<void> {
    if (this.#cancels.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#emptyListeners.push(resolve));
  }

  get size(): number {
    return this.#cancels.size;
  }

  /** Drops everything scheduled. */
  clear(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
    this.#tellIfEmpty();
  }

  #tellIfEmpty(): void {
    if (this.#cancels.size === 0) for (const listener of this.#emptyListeners.splice(0)) listener();
  }
}

/** Fields whose webhooks follow an override; all others go to the app's address. */
const OVERRIDABLE: ReadonlySet<string> = new Set([
  'messages',
  'message_echoes',
  'calls',
  'consumer_profile',
  'messaging_handovers',
  'standby',
  'group_lifecycle_update',
  'group_participants_update',
  'group_settings_update',
  'group_status_update',
  'smb_message_echoes',
  'smb_app_state_sync',
  'history',
  'account_settings_update',
]);

/** Returns the address of an update: the number's before the account's before the app's; `null` without a subscription. */
function webhookUrlOf(platform: Platform, { wabaId, field, value }: WebhookUpdate): string | null {
  const { world } = platform;
  const waba = world.findWaba(wabaId);
  if (!waba?.subscribed) return null;
  const app = appOfWaba(platform, waba);
  if (!app.isActive || app.fields?.includes(field) === false) return null;
  if (!OVERRIDABLE.has(field)) return app.webhookUrl;
  const number = world.findNumber(String(asObject(value.metadata ?? value.recipient)?.phone_number_id));
  return number?.overrideCallbackUri ?? waba.overrideCallbackUri ?? app.webhookUrl;
}

/** Returns the secret that signs an update: that of the app which is subscribed to its account. */
function secretOf(platform: Platform, { wabaId }: WebhookUpdate): string {
  const waba = platform.world.findWaba(wabaId);
  return waba === undefined ? platform.app.secret : appOfWaba(platform, waba).secret;
}

/** Sends one update to the subscribed receiver, possibly batched with others. */
export function announce(platform: Platform, update: WebhookUpdate): void {
  const url = webhookUrlOf(platform, update);
  if (url !== null) platform.webhooks.enqueue(url, update, secretOf(platform, update));
}

/** Posts one update alone and waits until it was answered 200 or given up; `null` without a subscription. */
export async function announceNow(
  platform: Platform,
  update: WebhookUpdate,
  options?: PostOptions,
): Promise<WebhookDelivery | null> {
  const url = webhookUrlOf(platform, update);
  return url === null
    ? null
    : platform.webhooks.post(url, buildWebhookPayload([update]), { secret: secretOf(platform, update), ...options });
}

/** Returns a download URL of a media object. It is valid for five minutes and needs a token that sees the object's number. */
export function downloadUrl(platform: Platform, item: MediaItem): string {
  return `${platform.origin}/whatsapp_business/attachments/?mid=${item.id}&hash=${platform.media.issueTicket(item)}`;
}
