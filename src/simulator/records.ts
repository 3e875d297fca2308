import type { JsonObject } from './graph/json-object.ts';

export type ThroughputLevel = 'STANDARD' | 'HIGH' | 'NOT_APPLICABLE';

/** A business account of the simulated platform. */
export interface Waba {
  readonly id: string;
  readonly name: string;
  accessToken: string;
  /** Webhooks leave only for accounts the app is subscribed to. */
  subscribed: boolean;
  /** Where its webhooks go instead of the app's callback URL. */
  overrideCallbackUri: string | null;
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
  /** A number that also lives in the business app is fixed at 20 messages a second. */
  isOnBizApp: boolean;
  /** Overrides what the level says. */
  messagesPerSecond: number | null;
  /** Country code put before a `to` without `+`; `null` takes such a `to` as complete. */
  countryDialCode: string | null;
  /** Where its webhooks go instead of its account's or the app's address. */
  overrideCallbackUri: string | null;
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
  /** When it was given, in seconds since the epoch. */
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
  /** Default `true`, so that a world made by code sends webhooks at once. */
  subscribed?: boolean;
  numbers?: NumberSeed[];
  templates?: TemplateSeed[];
  attributes?: JsonObject;
}

/** Messages a second the platform lets this number send. */
export function throughputOf(number: PhoneNumber): number {
  if (number.messagesPerSecond !== null) return number.messagesPerSecond;
  if (number.isOnBizApp) return 20;
  return number.throughputLevel === 'HIGH' ? 1000 : 80;
}

/** How many templates the account may have; 6,000 unless told, as a verified one. */
export function templatesMaxOf(waba: Waba): number {
  return Number(waba.attributes.message_template_limit ?? 6_000);
}
