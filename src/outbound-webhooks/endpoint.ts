import type { Snapshot } from '../database/changes/snapshot.ts';
import type { EventType, MessageIds } from '../events/index.ts';

/** What is posted: Standard Webhooks, or what the upstream itself would post. */
export type WebhookFormat = 'standard' | 'cloud_api';

/** How people's numbers are written: digits alone, as the upstream does, or with the `+` that a send's `to` has to have. */
type PhoneNumbers = 'upstream' | 'e164';

/** How deliveries are signed. */
export type WebhookSigning = 'hmac' | 'ed25519';

/** Why an endpoint gets nothing: its owner said so, it answered 410, or it failed for too long. */
export type DisabledReason = 'owner' | 'gone' | 'failing';

/** Which events an endpoint is sent. `null` is no restriction. */
export interface EndpointFilter {
  eventTypes: readonly EventType[] | null;
  phoneNumberIds: readonly string[] | null;
  wabaIds: readonly string[] | null;
}

/** What the customer says of an endpoint. */
export interface EndpointSettings extends EndpointFilter {
  url: string;
  description: string | null;
  format: WebhookFormat;
  signing: WebhookSigning;
  /** How statuses name their messages in the format `cloud_api`. */
  messageIds: MessageIds;
  /** How the format `cloud_api` writes people's numbers. */
  phoneNumbers: PhoneNumbers;
  /** One delivery at a time per conversation, in the order of events. */
  ordered: boolean;
  ratePerSecond: number | null;
}

/** Where a customer wants events delivered. Times are epoch milliseconds. */
export interface Endpoint extends EndpointSettings {
  organizationId: string;
  id: string;
  /** Small stand-in for the id in the queue. */
  endpointNumber: number;
  secretSealed: Buffer;
  /** Signs beside the secret until its time has come. */
  oldSecret: { sealed: Buffer; untilMs: number } | null;
  disabled: { atMs: number; reason: DisabledReason } | null;
  /** Since when every attempt has failed. */
  failingSinceMs: number | null;
  failuresInRow: number;
  /** When it was made: what had been committed by then is not for it. */
  since: Snapshot;
  createdAtMs: number;
  updatedAtMs: number;
}
