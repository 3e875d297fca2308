import type { WebhookOverride } from './connect/webhook-override.ts';

/** Why something waits until someone acts: the upstream's code and its words. */
export interface Parked {
  code: string;
  reason: string;
}

/** A number an organization sends from. */
export interface SendingNumber {
  organizationId: string;
  /** The upstream's id. */
  phoneNumberId: string;
  /** Our id (`account_id`, api-rules#message). */
  accountId: string;
  /** Small stand-in for the id in the queue. */
  numberId: number;
  wabaId: string;
  /** Digits with country code. */
  phoneNumber: string;
  verifiedName: string | null;
  /** The upstream's word for its state. */
  status: string | null;
  /** Whether it has completed phone registration and can send. */
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
  /** Whether the operator makes its queue wait. */
  paused: boolean;
  /** Whether it or its WABA is parked. */
  parked: Parked | null;
  /** Its WABA was disconnected, or another organization's has it: what is kept of its messages names it, and nothing is sent from it. */
  released: boolean;
}

/** Whether a number is registered, from what the upstream reports of it. */
export function isRegistered(report: { status: string | null; platformType: string | null }): boolean {
  return report.status === 'CONNECTED' && report.platformType !== 'NOT_APPLICABLE';
}

/** Messages per second the upstream allows a number: 20 shared with the business app, else 1,000 or 80 by level. */
export function upstreamPaceOf(report: { throughputLevel: string | null; isOnBizApp: boolean }): number {
  if (report.isOnBizApp) return 20;
  return report.throughputLevel === 'HIGH' ? 1_000 : 80;
}
