import type { MarketingMessages } from '../organizations/index.ts';
import type { WebhookOverride } from './connect/webhook-override.ts';

/** Reason of a parking: the upstream's code and its words. */
export interface Parked {
  code: string;
  reason: string;
}

/** A number from which an organization sends. */
export interface SendingNumber {
  organizationId: string;
  /** The upstream's id. */
  phoneNumberId: string;
  /** The gateway's id (`account_id`, api-rules#message). */
  accountId: string;
  /** Small integer that replaces the id in the queue. */
  numberId: number;
  wabaId: string;
  /** Digits with country code. */
  phoneNumber: string;
  verifiedName: string | null;
  /** The upstream's word for its state. */
  status: string | null;
  /** True if it has completed phone registration and can send. */
  registered: boolean;
  qualityRating: string | null;
  messagingLimit: string | null;
  /** The upstream's word for its pace. */
  throughputLevel: string | null;
  /** Shared with the business app, which caps its pace. */
  isOnBizApp: boolean;
  /** The override that keeps its webhooks from the gateway, as of the last reading. */
  webhookOverride: WebhookOverride | null;
  /** The pace in effect. */
  messagesPerSecond: number;
  /** True if the operator has paused its queue. */
  paused: boolean;
  /** The parking of the number or of its WABA. */
  parked: Parked | null;
  /**
   * True after its WABA was disconnected or the number moved to another organization. Stored messages still refer to it; nothing is sent
   * from it.
   */
  released: boolean;
  /** The app of its WABA; null stands for the app of the environment. */
  appId: string | null;
  /** Its WABA's own use of `/marketing_messages`; null takes the organization's. */
  marketingMessages: MarketingMessages | null;
  /** True if its WABA may use `/marketing_messages`, or may send marketing templates nowhere else. */
  isMarketingReady: boolean;
}

/** True if the upstream's report shows a registered number. */
export function isRegistered(report: { status: string | null; platformType: string | null }): boolean {
  return report.status === 'CONNECTED' && report.platformType !== 'NOT_APPLICABLE';
}

/** Returns the messages per second that the upstream allows a number: 20 if shared with the business app, else 1,000 or 80 by level. */
export function upstreamPaceOf(report: { throughputLevel: string | null; isOnBizApp: boolean }): number {
  if (report.isOnBizApp) return 20;
  return report.throughputLevel === 'HIGH' ? 1_000 : 80;
}
