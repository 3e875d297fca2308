import { type Style, styled } from '../../terminal/output.ts';
import { renderFields } from '../../terminal/table.ts';

/** A webhook endpoint of the public API, as far as the commands read it. */
export interface Webhook {
  id: string;
  url: string;
  description: string | null;
  events: string[] | null;
  phone_number_ids: string[] | null;
  waba_ids: string[] | null;
  format: string;
  signing: string;
  ordered: boolean;
  rate_per_second: number | null;
  status: 'enabled' | 'failing' | 'disabled';
  disabled_reason: string | null;
  failing_since: string | null;
  created_at: string;
  /** Verifies signatures; only with `ed25519`. */
  public_key?: string;
}

/** A webhook endpoint as a creation and a rotation answer it. */
export interface WebhookWithSecret extends Webhook {
  /** Absent with `ed25519`. */
  secret?: string;
}

/** A delivery of an event to an endpoint. */
export interface Delivery {
  event_id: string;
  event_type: string;
  recorded_at: string;
  status: 'pending' | 'delivered' | 'failed';
  next_attempt_at: string | null;
  settled_at: string | null;
  /** Oldest first. */
  attempts: DeliveryAttempt[];
}

export interface DeliveryAttempt {
  at: string;
  http_status: number | null;
  failure: string | null;
  latency_ms: number;
  answer: string | null;
}

/** Returns the path of an endpoint. */
export function webhookPath(id: string): string {
  return `/v1/webhooks/${encodeURIComponent(id)}`;
}

/** Returns the style of the status of an endpoint or of a delivery. */
export function webhookStyle(status: Webhook['status'] | Delivery['status']): Style {
  if (status === 'enabled' || status === 'delivered') return 'green';
  return status === 'pending' ? 'yellow' : 'red';
}

/** Returns the status with the reason of a disabled endpoint. */
export function statusOf({ status, disabled_reason }: Webhook): string {
  return disabled_reason === null ? status : `${status} (${disabled_reason})`;
}

/** Returns the result of an attempt for people: the HTTP status, or the failure if there was no answer. */
export function resultOf({ http_status, failure }: DeliveryAttempt): string {
  return http_status === null ? (failure ?? '-') : String(http_status);
}

/** Renders an endpoint with its secret, which no later answer has. */
export function renderSecret(webhook: WebhookWithSecret): string {
  const fields = renderFields([
    ['id', webhook.id],
    ['url', webhook.url],
    ['events', webhook.events?.join(', ') ?? 'all'],
    ['format', webhook.format],
    ['secret', webhook.secret],
    ['public key', webhook.public_key],
  ]);
  if (webhook.secret === undefined) return fields;
  return `${fields}\n${styled('bold', 'Store the secret now: it is not shown again.')}`;
}
