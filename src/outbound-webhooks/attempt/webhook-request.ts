import { cloudApiBody, type Event, type EventForm, renderEvent, renderUpstreamPayload } from '../../events/index.ts';
import type { WebhookFormat } from '../endpoint.ts';
import { type SigningKey, signHub, signingKeyOf, signStandard } from './signature.ts';

/** Secrets of one endpoint, ready for signing; `old` also signs until it expires. */
export interface Signer {
  secret: string;
  key: SigningKey | undefined;
  old: { secret: string; key: SigningKey | undefined; untilMs: number } | undefined;
}

/** Prepares the opened secrets of an endpoint for signing. `untilMs` is epoch ms. */
export function createSigner(
  format: WebhookFormat,
  secret: string,
  old: { secret: string; untilMs: number } | undefined,
): Signer {
  const keyOf = (text: string) => (format === 'standard' ? signingKeyOf(text) : undefined);
  return { secret, key: keyOf(secret), old: old && { ...old, key: keyOf(old.secret) } };
}

/**
 * Returns the request of one attempt to deliver an event: body and headers, signed for this moment. Undefined if the event has no form in
 * the endpoint's format.
 */
export function buildWebhookRequest(
  endpoint: EventForm,
  signer: Signer,
  event: Event,
  nowMs: number,
): { headers: Record<string, string>; body: string } | undefined {
  const body = bodyOf(endpoint, event);
  if (body === undefined) return undefined;
  const timestampSeconds = Math.floor(nowMs / 1000);
  const old = signer.old !== undefined && nowMs < signer.old.untilMs ? signer.old : undefined;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-timestamp': String(timestampSeconds),
  };
  if (endpoint.format === 'standard') {
    const keys = [signer.key, old?.key].filter((key) => key !== undefined);
    headers['webhook-signature'] = signStandard(keys, event.id, timestampSeconds, body);
  } else {
    // Receivers written for the upstream read one signature. While two secrets are valid, the old one makes it, because they surely know
    // it. Receivers that have the new secret read the `-next` header.
    headers['x-hub-signature-256'] = signHub(old?.secret ?? signer.secret, body);
    if (old !== undefined) headers['x-hub-signature-256-next'] = signHub(signer.secret, body);
  }
  return { headers, body };
}

function bodyOf({ format, messageIds, phoneNumbers }: EventForm, event: Event): string | undefined {
  if (format === 'standard') return renderEvent(event);
  const payload = event.type === 'webhook.test' ? renderUpstreamTest(event) : renderUpstreamPayload(event, messageIds);
  return payload && cloudApiBody(payload, phoneNumbers);
}

/** Sending number and person of the upstream's own test webhooks. */
const TEST_NUMBER = { display_phone_number: '16505551111', phone_number_id: '123456123' };
const TEST_PERSON = '16315551181';

/**
 * Renders a test event in the upstream's envelope, as the status of a message that does not exist. Receivers that read only messages and
 * statuses fail on any other field, and they would answer a received message.
 */
function renderUpstreamTest(event: Event): string {
  const timestamp = String(Math.floor(event.occurredAtMs / 1000));
  const statuses = [{ id: event.id, status: 'sent', timestamp, recipient_id: TEST_PERSON }];
  const detail = JSON.parse(event.detail ?? '{}');
  const value = { messaging_product: 'whatsapp', metadata: TEST_NUMBER, statuses, ...detail };
  return JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '0', changes: [{ value, field: 'messages' }] }],
  });
}
