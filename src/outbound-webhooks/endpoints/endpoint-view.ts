import type { SecretBox } from '../../core/secret-box.ts';
import { eventId, eventTypeOf } from '../../events/index.ts';
import type { AttemptRecord } from '../attempt/attempt-verdict.ts';
import { isOpen } from '../attempt/circuit-breaker.ts';
import { publicKeyOf } from '../attempt/signature.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Delivery } from '../history/list-deliveries.ts';
import { openSecret } from './endpoint-secrets.ts';

/** Renders an endpoint for the API; with `showSecret`, including the secret that receivers verify shared-secret signatures with. */
export function renderEndpoint(secretBox: SecretBox, endpoint: Endpoint, options: { showSecret: boolean }) {
  const { disabled, signing } = endpoint;
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    events: endpoint.eventTypes,
    phone_number_ids: endpoint.phoneNumberIds,
    waba_ids: endpoint.wabaIds,
    format: endpoint.format,
    signing,
    message_ids: endpoint.messageIds,
    phone_numbers: endpoint.phoneNumbers,
    ordered: endpoint.ordered,
    rate_per_second: endpoint.ratePerSecond,
    ...(signing === 'ed25519' && { public_key: publicKeyOf(openSecret(secretBox, endpoint)) }),
    ...(options.showSecret && signing === 'hmac' && { secret: openSecret(secretBox, endpoint) }),
    status: disabled !== null ? 'disabled' : isOpen(endpoint.failuresInRow) ? 'failing' : 'enabled',
    disabled_at: toTime(disabled?.atMs),
    disabled_reason: disabled?.reason ?? null,
    failing_since: toTime(endpoint.failingSinceMs),
    created_at: toTime(endpoint.createdAtMs),
    updated_at: toTime(endpoint.updatedAtMs),
  };
}

/** Renders a delivery for the API. */
export function renderDelivery(delivery: Delivery) {
  return {
    event_id: eventId(delivery),
    event_type: eventTypeOf(delivery.eventType),
    recorded_at: toTime(delivery.atSeconds * 1000),
    status: delivery.status,
    next_attempt_at: toTime(delivery.nextAttemptAtMs),
    settled_at: toTime(delivery.settledAtMs),
    attempts: delivery.attempts.map(renderAttempt),
  };
}

function renderAttempt(attempt: AttemptRecord) {
  return {
    at: toTime(attempt.atMs),
    http_status: attempt.httpStatus,
    failure: attempt.failure,
    latency_ms: attempt.latencyMs,
    answer: attempt.answer,
  };
}

function toTime(epochMs: number | null | undefined): string | null {
  return epochMs === null || epochMs === undefined ? null : new Date(epochMs).toISOString();
}
