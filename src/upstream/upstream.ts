import { Agent, Pool } from 'undici';
import { Slots } from '../core/limits/slots.ts';
import { waitAtMost } from '../core/run/waiting.ts';
import type { Clock } from '../core/time/clock.ts';
import { type AppCredentials, type AppWebhooks, readAppWebhooks, subscribeAppFields } from './app-webhooks.ts';
import {
  type CreatedTemplate,
  createTemplate,
  deleteTemplates,
  editTemplate,
  type TemplateSelection,
} from './change-templates.ts';
import { debugToken, type TokenFacts } from './debug-token.ts';
import type { CallResult, Unavailability } from './graph/call-result.ts';
import type { GraphClient, UpstreamLog } from './graph/graph-client.ts';
import { type PassedAnswer, type PassedCall, passThrough, type TokenRefusal } from './graph/pass-through.ts';
import { PlatformClock } from './graph/platform-clock.ts';
import { markAsRead, type ReadReceiptRequest } from './mark-as-read.ts';
import { deleteMedia, downloadMedia, getMedia, type MediaDownload, type UpstreamMedia } from './media-objects.ts';
import { type NumberHealth, readNumberHealth, readOnboarding } from './read-number-health.ts';
import { type ListedNumber, listPhoneNumbers } from './read-numbers.ts';
import {
  findTemplatesByName,
  getTemplate,
  type ListedTemplate,
  listTemplates,
  summarizeTemplates,
  type UpstreamTemplate,
} from './read-templates.ts';
import { socketConnector } from './routing/socket-connector.ts';
import type { TokenApps } from './routing/token-apps.ts';
import { type SendRequest, sendMessage } from './send-message.ts';
import type { SendOutcome } from './send-outcome.ts';
import { exchangeCode } from './signup/exchange-code.ts';
import {
  type NumberState,
  readNumberState,
  registerNumber,
  requestNumberCode,
  verifyNumber,
} from './signup/register-number.ts';
import { type AppSubscription, readSubscription, subscribeApp, unsubscribeApp } from './subscribe-app.ts';
import { type UpstreamFile, uploadMedia } from './upload-media.ts';
import { uploadSample } from './upload-sample.ts';

export interface UpstreamOptions {
  /** Graph API base including the version, e.g. `https://graph.facebook.com/v24.0`. */
  baseUrl: string;
  /** The app of tokens that no other app is noted for. Sample uploads are opened there; without it, they are refused. */
  appId?: string | null;
  /** Returns the Unix socket to use instead of TCP. The client then serves test accounts, and no others. */
  findTestSocket?: () => Promise<string>;
  /** The app's secret, if the app requires every call to prove knowledge of it. */
  provenAppSecret?: string | null;
  /** The apps of tokens that belong to another app. */
  tokenApps?: Pick<TokenApps, 'find'>;
  clock: Clock;
  log: UpstreamLog;
  /**
   * Connections for messages, which also bounds the messages in flight: about rate times latency (350 ms). All other calls share as many
   * again. Default 256.
   */
  connectionsMax?: number;
  /** Milliseconds one upload may take in total; default 5 min. */
  transferTimeoutMs?: number;
  /** Longest silence in an upload or a download, in milliseconds; default 30 s. */
  silenceTimeoutMs?: number;
}

/**
 * The only access to the platform. No call throws or rejects because of the platform or the network, and none is repeated. No token appears
 * in a result or the log, nor in a URL, except the one that `debugToken` inspects.
 */
export interface Upstream {
  /** The clock of the platform's timestamps, corrected by every accepted message. */
  readonly platformClock: PlatformClock;
  sendMessage(request: SendRequest): Promise<SendOutcome>;
  markAsRead(request: ReadReceiptRequest): Promise<CallResult<true>>;

  listPhoneNumbers(wabaId: string, token: string): Promise<CallResult<ListedNumber[]>>;
  subscribeApp(wabaId: string, token: string): Promise<CallResult<true>>;
  readSubscription(wabaId: string, token: string): Promise<CallResult<AppSubscription>>;
  /** Times out after five seconds. */
  unsubscribeApp(wabaId: string, token: string): Promise<CallResult<true>>;

  readNumberHealth(wabaId: string, token: string): Promise<CallResult<NumberHealth[]>>;
  readOnboarding(wabaId: string, token: string): Promise<CallResult<{ status: string | null }>>;
  readAppWebhooks(app: AppCredentials): Promise<CallResult<AppWebhooks>>;
  subscribeAppFields(
    app: AppCredentials,
    change: { callbackUrl: string; verifyToken: string; fields: readonly string[] },
  ): Promise<CallResult<true>>;
  debugToken(app: AppCredentials, token: string): Promise<CallResult<TokenFacts>>;
  exchangeCode(
    app: AppCredentials,
    grant: { code: string; redirectUri: string | null },
  ): Promise<CallResult<{ accessToken: string }>>;

  readNumberState(phoneNumberId: string, token: string): Promise<CallResult<NumberState>>;
  registerNumber(phoneNumberId: string, token: string, pin: string): Promise<CallResult<true>>;
  requestNumberCode(phoneNumberId: string, token: string, method: 'SMS' | 'VOICE'): Promise<CallResult<true>>;
  verifyNumber(phoneNumberId: string, token: string, code: string): Promise<CallResult<true>>;

  listTemplates(wabaId: string, token: string): AsyncGenerator<CallResult<ListedTemplate[]>, void>;
  findTemplatesByName(wabaId: string, token: string, name: string): Promise<CallResult<UpstreamTemplate[]>>;
  getTemplate(templateId: string, token: string): Promise<CallResult<UpstreamTemplate>>;
  summarizeTemplates(wabaId: string, token: string, summary: string): Promise<CallResult<string>>;
  createTemplate(wabaId: string, token: string, body: string): Promise<CallResult<CreatedTemplate>>;
  editTemplate(templateId: string, token: string, body: string): Promise<CallResult<true>>;
  deleteTemplates(wabaId: string, token: string, selection: TemplateSelection): Promise<CallResult<true>>;
  uploadSample(token: string, file: UpstreamFile): Promise<CallResult<string>>;

  uploadMedia(phoneNumberId: string, token: string, file: UpstreamFile): Promise<CallResult<string>>;
  getMedia(mediaId: string, token: string, phoneNumberId: string | undefined): Promise<CallResult<UpstreamMedia>>;
  deleteMedia(mediaId: string, token: string, phoneNumberId: string | undefined): Promise<CallResult<true>>;
  downloadMedia(url: string, token: string): Promise<CallResult<MediaDownload>>;

  /** Passes a client's call on and returns the answer as it is. */
  passThrough(call: PassedCall): Promise<PassedAnswer | TokenRefusal | Unavailability>;

  /** Refuses new calls, waits `graceMs` for those in flight, then cuts them off. Later calls of `close` wait for the first one. */
  close(graceMs?: number): Promise<void>;
}

/** Creates the client. It connects at the first call. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { origin, pathname } = new URL(options.baseUrl);
  const connections = options.connectionsMax ?? 256;
  const { findTestSocket } = options;
  const ownApp = { id: options.appId ?? null, provenSecret: options.provenAppSecret ?? null };
  const isForTests = findTestSocket !== undefined;
  const connecting = { ...connectionOptions, ...(isForTests && { connect: socketConnector(findTestSocket) }) };
  const messages = new Pool(origin, { ...connecting, connections });
  const calls = new Pool(origin, { ...connecting, connections });
  // Unbounded, because callers bound their downloads. A download that waited here for other readers would have no timeout.
  const agent = new Agent(connecting);
  const client: GraphClient = {
    messages,
    calls,
    // Half of the connections: a provider may use one token for all its tenants.
    slots: new Slots({ partyMax: Math.ceil(connections / 2) }),
    downloads: agent,
    clock: options.clock,
    platformClock: new PlatformClock(options.clock),
    log: options.log,
    origin,
    basePath: pathname.replace(/\/+$/, ''),
    isForTests,
    ownApp,
    appOf: (token) => options.tokenApps?.find(token) ?? ownApp,
    transferTimeoutMs: options.transferTimeoutMs ?? 300_000,
    silenceTimeoutMs: options.silenceTimeoutMs ?? 30_000,
  };
  let closed: Promise<void> | undefined;
  return {
    platformClock: client.platformClock,
    sendMessage: (request) => sendMessage(client, request),
    markAsRead: (request) => markAsRead(client, request),
    listPhoneNumbers: (wabaId, token) => listPhoneNumbers(client, wabaId, token),
    subscribeApp: (wabaId, token) => subscribeApp(client, wabaId, token),
    readSubscription: (wabaId, token) => readSubscription(client, wabaId, token),
    unsubscribeApp: (wabaId, token) => unsubscribeApp(client, wabaId, token),
    readNumberHealth: (wabaId, token) => readNumberHealth(client, wabaId, token),
    readOnboarding: (wabaId, token) => readOnboarding(client, wabaId, token),
    readAppWebhooks: (app) => readAppWebhooks(client, app),
    subscribeAppFields: (app, change) => subscribeAppFields(client, app, change),
    debugToken: (app, token) => debugToken(client, app, token),
    exchangeCode: (app, grant) => exchangeCode(client, app, grant),
    readNumberState: (phoneNumberId, token) => readNumberState(client, phoneNumberId, token),
    registerNumber: (phoneNumberId, token, pin) => registerNumber(client, phoneNumberId, token, pin),
    requestNumberCode: (phoneNumberId, token, method) => requestNumberCode(client, phoneNumberId, token, method),
    verifyNumber: (phoneNumberId, token, code) => verifyNumber(client, phoneNumberId, token, code),
    listTemplates: (wabaId, token) => listTemplates(client, wabaId, token),
    findTemplatesByName: (wabaId, token, name) => findTemplatesByName(client, wabaId, token, name),
    getTemplate: (templateId, token) => getTemplate(client, templateId, token),
    summarizeTemplates: (wabaId, token, summary) => summarizeTemplates(client, wabaId, token, summary),
    createTemplate: (wabaId, token, body) => createTemplate(client, wabaId, token, body),
    editTemplate: (templateId, token, body) => editTemplate(client, templateId, token, body),
    deleteTemplates: (wabaId, token, selection) => deleteTemplates(client, wabaId, token, selection),
    uploadSample: (token, file) => uploadSample(client, token, file),
    uploadMedia: (phoneNumberId, token, file) => uploadMedia(client, phoneNumberId, token, file),
    getMedia: (mediaId, token, phoneNumberId) => getMedia(client, mediaId, token, phoneNumberId),
    deleteMedia: (mediaId, token, phoneNumberId) => deleteMedia(client, mediaId, token, phoneNumberId),
    downloadMedia: (url, token) => downloadMedia(client, url, token),
    passThrough: (call) => passThrough(client, call),
    close(graceMs = 10_000) {
      closed ??= closeDispatchers(options.clock, [messages, calls, agent], graceMs);
      return closed;
    },
  };
}

const connectionOptions = {
  connectTimeout: 5_000,
  // One request at a time per connection, so that a broken connection concerns exactly one request.
  pipelining: 1,
  allowH2: false,
  // Every call has a timeout of its own, from start to end.
  headersTimeout: 0,
  bodyTimeout: 0,
  // The platform does not announce that it closes an idle connection. A send that meets a closing one has an unknown outcome, which costs
  // far more than a handshake. The gateway therefore closes first: 2 s before the platform's hint, or after 4 s without one.
  keepAliveTimeout: 4_000,
  keepAliveTimeoutThreshold: 2_000,
} satisfies Pool.Options;

async function closeDispatchers(clock: Clock, dispatchers: (Pool | Agent)[], graceMs: number): Promise<void> {
  await waitAtMost(clock, graceMs, Promise.all(dispatchers.map((dispatcher) => dispatcher.close())));
  // Has no effect after a completed close(). A close() that is still pending by now would never end.
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.destroy()));
}
