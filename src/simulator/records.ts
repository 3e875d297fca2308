import type { JsonObject } from './graph/json-object.ts';

export type ThroughputLevel = 'STANDARD' | 'HIGH' | 'NOT_APPLICABLE';

/** A business account of the simulated platform. */
export interface Waba {
  readonly id: string;
  readonly name: string;
  accessToken: string;
  /** Members of the answer about its token, instead of the usual ones: `scopes`, `expires_at`, … */
  tokenFacts: JsonObject;
  /** The app that its token belongs to; null stands for the first app. */
  appId: string | null;
  /** Webhooks are sent only for accounts to which the app is subscribed. */
  subscribed: boolean;
  /** Address of its webhooks, instead of the app's callback URL. */
  overrideCallbackUri: string | null;
  /** The business portfolio, the scope of user ids. */
  portfolioId: string;
  /** Scope of the parent user ids; `null` without them. */
  parentPortfolioId: string | null;
  /** True if the account records the phones of its contacts, which then stay visible. */
  hasContactBook: boolean;
  /** Further Graph fields of the node. */
  attributes: JsonObject;
}

export interface PhoneNumber {
  readonly id: string;
  readonly wabaId: string;
  displayPhoneNumber: string;
  verifiedName: string;
  status: string;
  platformType: string;
  qualityRating: string;
  throughputLevel: ThroughputLevel;
  /** True if the number is also used in the business app, which fixes it at 20 messages a second. */
  isOnBizApp: boolean;
  /** Overrides the throughput of the level. */
  messagesPerSecond: number | null;
  /** Country code added to a `to` without `+`; `null` takes such a `to` as complete. */
  countryDialCode: string | null;
  /** Address of its webhooks, instead of its account's or the app's address. */
  overrideCallbackUri: string | null;
  /** The only phones that a test number may reach; `null` for other numbers. */
  allowedRecipients: string[] | null;
  /** Further Graph fields of the node. */
  attributes: JsonObject;
}

export interface Template {
  readonly id: string;
  readonly wabaId: string;
  readonly name: string;
  readonly language: string;
  category: string;
  status: string;
  components: JsonObject[];
  parameterFormat: 'NAMED' | 'POSITIONAL';
  qualityScore: string;
  /** Time of the score, in seconds since the epoch. */
  qualityScoreAt: number;
  rejectedReason: string;
  /** Further Graph fields of the node, such as `sub_category` or `message_send_ttl_seconds`. */
  attributes: JsonObject;
}

export interface NumberSeed {
  id: string;
  displayPhoneNumber: string;
  verifiedName?: string;
  /** Default `CONNECTED`. */
  status?: string;
  /** Default `CLOUD_API`. */
  platformType?: string;
  qualityRating?: string;
  throughputLevel?: ThroughputLevel;
  isOnBizApp?: boolean;
  messagesPerSecond?: number | null;
  countryDialCode?: string | null;
  overrideCallbackUri?: string | null;
  allowedRecipients?: string[] | null;
  attributes?: JsonObject;
}

export interface TemplateSeed {
  id?: string;
  name: string;
  language: string;
  /** Default `UTILITY`. */
  category?: string;
  /** Default `APPROVED`. */
  status?: string;
  /** Default: a body without parameters. */
  components?: JsonObject[];
  parameterFormat?: 'NAMED' | 'POSITIONAL';
  qualityScore?: string;
  /** Seconds since the epoch; default: some time in 2025. */
  qualityScoreAt?: number;
  attributes?: JsonObject;
}

export interface WabaSeed {
  id: string;
  accessToken: string;
  name?: string;
  /** Default: the first app. */
  appId?: string | null;
  /** Default `true`, so that a world created by code sends webhooks immediately. */
  subscribed?: boolean;
  /** Default: the account's id. */
  portfolioId?: string;
  parentPortfolioId?: string | null;
  /** Default `true`. */
  hasContactBook?: boolean;
  numbers?: NumberSeed[];
  templates?: TemplateSeed[];
  attributes?: JsonObject;
}

/** Members of an account that can change; `attributes` are added to those it has. */
export type WabaChange = Pick<WabaSeed, 'portfolioId' | 'parentPortfolioId' | 'hasContactBook' | 'attributes'>;

/** Returns the number's limit in messages a second. */
export function throughputOf(number: PhoneNumber): number {
  if (number.messagesPerSecond !== null) return number.messagesPerSecond;
  if (number.isOnBizApp) return 20;
  return number.throughputLevel === 'HIGH' ? 1000 : 80;
}

/** Returns the account's limit of templates; default 6,000, the limit of a verified account. */
export function templatesMaxOf(waba: Waba): number {
  return Number(waba.attributes.message_template_limit ?? 6_000);
}
