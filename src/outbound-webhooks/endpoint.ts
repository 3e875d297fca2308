import type { Snapshot } from '../database/changes/snapshot.ts';
import type { EventForm, EventType } from '../events/index.ts';

/** Format of posted events. */
export type WebhookFormat = EventForm['format'];

/** Signature algorithm of deliveries. */
export type WebhookSigning = 'hmac' | 'ed25519';

/** Reason why an endpoint is disabled: by its owner, by its answer 410, or after failing for too long. */
export type DisabledReason = 'owner' | 'gone' | 'failing';

/** Filter of the events that an endpoint gets. `null` is no restriction. */
export interface EndpointFilter {
  eventTypes: readonly EventType[] | null;
  phoneNumberIds: readonly string[] | null;
  wabaIds: readonly string[] | null;
}

/** Settings of an endpoint that its owner chooses. */
export interface EndpointSettings extends EndpointFilter, EventForm {
  url: string;
  description: string | null;
  signing: WebhookSigning;
  /** One delivery at a time per conversation, in the order of events. */
  ordered: boolean;
  ratePerSecond: number | null;
}

/** Destination of a customer's events. Times are epoch milliseconds. */
export interface Endpoint extends EndpointSettings {
  organizationId: string;
  id: string;
  /** Small number that stands for the id in the queue. */
  endpointNumber: number;
  secretSealed: Buffer;
  /** Also signs, beside the current secret, until `untilMs`. */
  oldSecret: { sealed: Buffer; untilMs: number } | null;
  disabled: { atMs: number; reason: DisabledReason } | null;
  /** Time since which every attempt has failed. */
  failingSinceMs: number | null;
  failuresInRow: number;
  /** Snapshot at its creation: events committed before it are not delivered to it. */
  since: Snapshot;
  createdAtMs: number;
  updatedAtMs: number;
}
