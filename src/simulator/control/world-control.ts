import { type AppSeed, addApp, type SimulatedApp } from '../apps.ts';
import { type CallSeed, playCall } from '../conversations/calls.ts';
import { type EchoSeed, sendEcho } from '../conversations/echoes.ts';
import { type HandoverSeed, handOver } from '../conversations/handovers.ts';
import type { EdgeStore } from '../edges/edge-store.ts';
import { forgetAccount } from '../forget-account.ts';
import type { CallLog } from '../graph/call-log.ts';
import type { JsonObject } from '../graph/json-object.ts';
import type { UploadSessions } from '../media/upload-sessions.ts';
import { type InboundResult, type InboundSeed, receiveInbound } from '../messages/receive-inbound.ts';
import type { SendLog } from '../messages/send-log.ts';
import { setBusinessUsername, type UsernameStatus } from '../people/business-usernames.ts';
import { conversationNamed, personNamed } from '../people/identity.ts';
import type { Person } from '../people/person.ts';
import { changePerson, createPerson, type PersonChange, type PersonSeed } from '../people/person-changes.ts';
import { announceNow, type Platform, type PlatformSettings } from '../platform.ts';
import type { NumberSeed, PhoneNumber, Template, TemplateSeed, Waba, WabaChange, WabaSeed } from '../records.ts';
import {
  type StatusChange,
  scheduleReview,
  setTemplateCategory,
  setTemplateQuality,
  setTemplateStatus,
} from '../templates/template-review.ts';
import type { ViolationLog } from '../violation-log.ts';
import { verifyCallback } from '../webhooks/verify-callback.ts';
import type { PostOptions, WebhookDelivery } from '../webhooks/webhook-sender.ts';
import type { World } from '../world.ts';
import type { FaultRule, FaultSeed } from './faults.ts';

/** Controls of the platform for tests and chaos runs. The control API offers the same over HTTP. */
export interface WorldControl {
  addWaba(seed: WabaSeed): Waba;
  /** Removes an account with everything that it has. */
  forgetAccount(wabaId: string): void;
  /** Adds an app with its own secrets, webhook address and fields. */
  addApp(seed: AppSeed): SimulatedApp;
  /** Changes an account from now on; sends no webhook. */
  updateWaba(id: string, change: WabaChange): Waba;
  addNumber(wabaId: string, seed: NumberSeed): PhoneNumber;
  /** Stores a template unchanged, without review. */
  addTemplate(wabaId: string, seed: TemplateSeed): Template;
  /** Begins the review of a template, as its creation does. */
  reviewTemplate(template: Template): void;
  /** Changes a number from now on; sends no webhook. */
  updateNumber(id: string, change: Partial<Omit<NumberSeed, 'id'>>): PhoneNumber;
  /** Replaces the account's token. Calls with the old one are answered 190. */
  rotateToken(wabaId: string, accessToken: string): void;
  /** Changes members of the answer of `debug_token` about the account's token. */
  describeToken(wabaId: string, facts: JsonObject): void;
  /** Returns the code of a sign-up in which the account was shared, as from a dialog that returned to `redirectUri`. */
  issueSignupCode(wabaId: string, options?: { redirectUri?: string | undefined; lifeMs?: number | undefined }): string;
  /** Sets the PIN of a number's two-step verification; null removes it. */
  setPin(phoneNumberId: string, pin: string | null): void;
  /** Sets how many registrations and deregistrations of the number have just been made; ten lock it. */
  setRegistrations(phoneNumberId: string, count: number): void;
  /** Lookups of seeded and created objects. */
  readonly accounts: Pick<
    World,
    'findWaba' | 'listWabas' | 'findNumber' | 'findTemplate' | 'findTemplateByName' | 'listNumbers' | 'listTemplates'
  >;

  /** All requests to `/messages`. */
  readonly sends: Pick<SendLog, 'list' | 'waitFor' | 'total'>;
  /** All other Graph calls. */
  readonly calls: Pick<CallLog, 'list'>;
  /** Flows, groups and other things beside messages, media and templates. */
  readonly edges: Pick<EdgeStore, 'flows' | 'groups' | 'blockedBy' | 'documentOf' | 'pins'>;
  /** Completed uploads of samples. */
  readonly uploads: Pick<UploadSessions, 'findSample'>;
  /** Sends refused by a limit. */
  readonly violations: Pick<ViolationLog, 'list' | 'counts'>;

  /** Creates a record of a person. Everyone else is an ordinary person without a user name. */
  addPerson(seed: PersonSeed): Person;
  /** Finds a person by phone or present user id. */
  person(reference: string): Person;
  /** Changes a person, and posts the webhooks of a new number or user id. */
  updatePerson(reference: string, change: PersonChange): ReturnType<typeof changePerson>;
  /** Sets the user name of a business number and posts its webhook. */
  setBusinessUsername(
    phoneNumberId: string,
    change: { username?: string; status: UsernameStatus },
  ): Promise<WebhookDelivery | null>;

  /** Receives a user's message; resolves once the webhook was answered 200. */
  inbound(seed: InboundSeed): Promise<InboundResult>;
  /** Plays a call and posts its webhooks; resolves with the call's id. */
  call(seed: CallSeed): Promise<string>;
  /** Hands a conversation to an agent or back. */
  handOver(seed: HandoverSeed): Promise<WebhookDelivery | null>;
  /** Sends a message from the business app or an agent, and posts its echo and statuses. */
  echo(seed: EchoSeed): ReturnType<typeof sendEcho>;
  /** True if the service window with a user, or a group by its id, is open now. */
  isWindowOpen(phoneNumberId: string, userOrGroup: string): boolean;
  /** Opens the service window without a message, as if the user had written at `atMs` (default now). */
  openWindow(phoneNumberId: string, user: string, atMs?: number): void;
  closeWindow(phoneNumberId: string, user: string): void;

  setTemplateStatus(templateId: string, change: StatusChange): Promise<WebhookDelivery | null>;
  setTemplateQuality(templateId: string, score: string): Promise<WebhookDelivery | null>;
  setTemplateCategory(templateId: string, category: string): Promise<WebhookDelivery | null>;

  setWebhookUrl(url: string | null): void;
  /** Performs the `hub.challenge` handshake; resolves with true if the receiver passed it. */
  verifyCallback(url?: string): Promise<boolean>;
  /** Posts any payload, signed by default. */
  postWebhook(payload: unknown, options?: PostOptions & { url?: string }): Promise<WebhookDelivery>;
  /** Posts one change of an account to the subscribed receiver. */
  announce(wabaId: string, field: string, value: JsonObject): Promise<WebhookDelivery | null>;
  /** Recent webhooks, oldest first. */
  deliveries(): WebhookDelivery[];
  /** Resolves once no status is due, no review is pending, and every webhook has been answered or given up. */
  whenQuiet(): Promise<void>;

  addFault(seed: FaultSeed): FaultRule;
  listFaults(): FaultRule[];
  /** Removes one fault or all. */
  clearFaults(id?: number): void;

  /** Live settings; assign to change them. */
  readonly settings: PlatformSettings;
  /** Removes all accounts and data; settings and webhook URL stay. */
  reset(): Promise<void>;
}

/** The controls of one platform. */
export function createWorldControl(platform: Platform): WorldControl {
  const { world } = platform;
  return {
    accounts: world,
    sends: platform.sends,
    calls: platform.calls,
    uploads: platform.uploads,
    edges: platform.edges,
    violations: platform.violations,
    settings: platform.settings,
    addApp: (seed) => addApp(platform, seed),
    addWaba: (seed) => world.addWaba(seed),
    forgetAccount: (wabaId) => forgetAccount(platform, wabaId),
    updateWaba: (id, change) => world.updateWaba(id, change),
    addNumber: (wabaId, seed) => world.addNumber(wabaId, seed),
    addTemplate: (wabaId, seed) => world.addTemplate(wabaId, seed),
    reviewTemplate: (template) => scheduleReview(platform, template),
    updateNumber: (id, change) => Object.assign(world.getNumber(id), change),
    rotateToken(wabaId, accessToken) {
      world.getWaba(wabaId).accessToken = accessToken;
    },
    describeToken(wabaId, facts) {
      world.getWaba(wabaId).tokenFacts = facts;
    },
    issueSignupCode: (wabaId, { redirectUri, lifeMs } = {}) =>
      platform.signups.issue(world.getWaba(wabaId).accessToken, redirectUri ?? null, lifeMs),
    setPin(phoneNumberId, pin) {
      platform.edges.pins.delete(world.getNumber(phoneNumberId).id);
      if (pin !== null) platform.edges.pins.set(phoneNumberId, pin);
    },
    setRegistrations(phoneNumberId, count) {
      const calls = platform.edges.registrationsOf(world.getNumber(phoneNumberId).id);
      calls.splice(0, calls.length, ...new Array<number>(count).fill(platform.clock.now()));
    },
    inbound: (seed) => receiveInbound(platform, seed),
    call: (seed) => playCall(platform, seed),
    handOver: (seed) => handOver(platform, seed),
    echo: (seed) => sendEcho(platform, seed),
    addPerson: (seed) => createPerson(platform, seed),
    person: (reference) => personNamed(platform, reference),
    updatePerson: (reference, change) => changePerson(platform, reference, change),
    setBusinessUsername: (id, change) => setBusinessUsername(platform, id, change),
    isWindowOpen: (phoneNumberId, userOrGroup) =>
      platform.conversations.isWindowOpen(
        phoneNumberId,
        conversationNamed(platform, userOrGroup),
        platform.clock.now(),
      ),
    openWindow(phoneNumberId, user, atMs = platform.clock.now()) {
      platform.conversations.recordInbound(phoneNumberId, conversationNamed(platform, user), atMs);
    },
    closeWindow(phoneNumberId, user) {
      platform.conversations.closeWindow(phoneNumberId, conversationNamed(platform, user));
    },
    setTemplateStatus: (id, change) => setTemplateStatus(platform, world.getTemplate(id), change),
    setTemplateQuality: (id, score) => setTemplateQuality(platform, world.getTemplate(id), score),
    setTemplateCategory: (id, category) => setTemplateCategory(platform, world.getTemplate(id), category),
    setWebhookUrl(url) {
      platform.settings.webhookUrl = url;
    },
    verifyCallback: (url) => verifyCallback(platform.app.verifyToken, callbackUrl(platform, url)),
    postWebhook: (payload, { url, ...options } = {}) =>
      platform.webhooks.post(callbackUrl(platform, url), payload, options),
    announce: (wabaId, field, value) =>
      announceNow(platform, { wabaId, field, value, ...(field === 'messages' ? {} : { time: platform.clock.now() }) }),
    deliveries: () => platform.webhooks.list(),
    async whenQuiet() {
      while (platform.agenda.size > 0 || platform.webhooks.openCount > 0) {
        await platform.agenda.whenEmpty();
        await platform.webhooks.whenIdle();
      }
    },
    addFault: (seed) => platform.faults.add(seed, platform.clock.now()),
    listFaults: () => platform.faults.list(),
    clearFaults: (id) => platform.faults.clear(id),
    reset: () => reset(platform),
  };
}

async function reset(platform: Platform): Promise<void> {
  platform.agenda.clear();
  platform.world.clear();
  platform.limits.clear();
  platform.violations.clear();
  platform.people.clear();
  platform.contacts.clear();
  platform.conversations.clear();
  platform.sends.clear();
  platform.faults.clear();
  platform.magicAttempts.clear();
  platform.uploads.clear();
  platform.calls.clear();
  platform.edges.clear();
  platform.signups.clear();
  platform.webhooks.clear();
  await platform.media.close();
}

function callbackUrl(platform: Platform, url: string | undefined): string {
  const chosen = url ?? platform.settings.webhookUrl;
  if (chosen === null) throw new Error('The simulator has no webhook URL yet.');
  return chosen;
}
