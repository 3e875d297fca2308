import { escapeBeyondAscii, readStoredJson, replaceRanges } from '../../core/json/index.ts';
import { type Event, renderEvent, renderUpstreamPayload } from '../../events/index.ts';
import type { Endpoint, WebhookFormat } from '../endpoint.ts';
import { type SigningKey, signHub, signingKeyOf, signStandard } from './signature.ts';

/** The secrets of one endpoint made ready for signing; `old` signs too, until it runs out. */
export interface Signer {
  secret: string;
  key: SigningKey | undefined;
  old: { secret: string; key: SigningKey | undefined; untilMs: number } | undefined;
}

/** Makes the opened secrets of an endpoint ready. `untilMs` is epoch ms. */
export function createSigner(
  format: WebhookFormat,
  secret: string,
  old: { secret: string; untilMs: number } | undefined,
): Signer {
  const keyOf = (text: string) => (format === 'standard' ? signingKeyOf(text) : undefined);
  return { secret, key: keyOf(secret), old: old && { ...old, key: keyOf(old.secret) } };
}

/**
 * One attempt to deliver an event: body and headers, signed for this moment. Undefined when the event cannot be told in the
 * endpoint's format.
 */
export function buildWebhookRequest(
  endpoint: Pick<Endpoint, 'format' | 'messageIds' | 'phoneNumbers'>,
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
    // Receivers written for the upstream read one signature. While two secrets hold it is the one they know for sure; who
    // has moved on reads the other header.
    headers['x-hub-signature-256'] = signHub(old?.secret ?? signer.secret, body);
    if (old !== undefined) headers['x-hub-signature-256-next'] = signHub(signer.secret, body);
  }
  return { headers, body };
}

function bodyOf(
  { format, messageIds, phoneNumbers }: Pick<Endpoint, 'format' | 'messageIds' | 'phoneNumbers'>,
  event: Event,
): string | undefined {
  if (format === 'standard') return renderEvent(event);
  const payload = event.type === 'webhook.test' ? renderUpstreamTest(event) : renderUpstreamPayload(event, messageIds);
  // In ASCII, as the upstream writes and signs it: there are receivers that verify signatures over nothing else.
  return payload && escapeBeyondAscii(phoneNumbers === 'e164' ? withPlus(payload) : payload);
}

/** Where a payload names the people it is about by number: in the elements of which list, and where in these. A card that is sent is content. */
const PEOPLE: readonly [list: string, ...member: string[]][] = [
  ['contacts', 'wa_id'],
  ['messages', 'from'],
  ['messages', 'system', 'wa_id'],
  ['statuses', 'recipient_id'],
  ['calls', 'from'],
  ['calls', 'to'],
  ['message_echoes', 'to'],
  ['user_id_update', 'wa_id'],
  ['user_preferences', 'wa_id'],
];

/** People's numbers as a send's `to` has to have them. Who is known by user id alone has none, and our own, in a call, is nobody's. */
function withPlus(payload: string): string {
  const { text, rangeOf, rawOf } = readStoredJson(payload);
  const value = ['entry', 0, 'changes', 0, 'value'];
  const ours = rawOf([...value, 'metadata', 'display_phone_number']);
  const plusses = PEOPLE.flatMap(([list, ...member]) => {
    const elements = [...value, list];
    const found = [];
    for (let at = 0; rangeOf([...elements, at]) !== undefined; at += 1) {
      const path = [...elements, at, ...member];
      const named = rawOf(path) ?? '';
      const start = /^"\d+"$/.test(named) && named !== ours ? rangeOf(path)?.start : undefined;
      if (start !== undefined) found.push({ start: start + 1, end: start + 1, text: '+' });
    }
    return found;
  });
  return replaceRanges(text, plusses);
}

/** The number the upstream's own test webhooks come from, and the person they speak of. */
const TEST_NUMBER = { display_phone_number: '16505551111', phone_number_id: '123456123' };
const TEST_PERSON = '16315551181';

/**
 * A test in the upstream's envelope: a status of a message that nobody sent. Receivers that read nothing but messages and statuses
 * fall over any other field, and a received message they would answer.
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
