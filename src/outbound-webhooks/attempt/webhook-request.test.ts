import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { sampleEndpoint } from '../../../test/support/outbound-webhooks/sample-endpoint.ts';
import { messageEvent, resourceEvent } from '../../../test/support/outbound-webhooks/sample-events.ts';
import { createSecret } from './signature.ts';
import { buildWebhookRequest, createSigner } from './webhook-request.ts';

const STANDARD = sampleEndpoint({});
const CLOUD_API = sampleEndpoint({ format: 'cloud_api' });
const NOW_MS = 1_800_000_000_999;
const hub = (secret: string, body = '') => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

test('webhook request: later attempt → same id and body, new timestamp in whole seconds', () => {
  const signer = createSigner('standard', createSecret('standard', 'hmac'), undefined);
  const event = messageEvent({ type: 'message.delivered', sequence: 3 });
  const first = buildWebhookRequest(STANDARD, signer, event, NOW_MS);
  const later = buildWebhookRequest(STANDARD, signer, event, NOW_MS + 5_000);
  assert.equal(first?.headers['webhook-id'], event.id);
  assert.doesNotMatch(event.id, /\./);
  assert.equal(first?.headers['webhook-timestamp'], '1800000000');
  assert.equal(later?.headers['webhook-id'], event.id);
  assert.equal(later?.headers['webhook-timestamp'], '1800000005');
  assert.equal(later?.body, first?.body);
});

test('old secret: rotated → also signs until it expires', () => {
  const [secret, oldSecret] = [createSecret('standard', 'hmac'), createSecret('standard', 'hmac')];
  const signer = createSigner('standard', secret, { secret: oldSecret, untilMs: NOW_MS + 1 });
  const event = messageEvent({ type: 'message.read' });
  assert.equal(
    buildWebhookRequest(STANDARD, signer, event, NOW_MS)?.headers['webhook-signature']?.split(' ').length,
    2,
  );
  assert.equal(
    buildWebhookRequest(STANDARD, signer, event, NOW_MS + 1)?.headers['webhook-signature']?.split(' ').length,
    1,
  );
});

test('upstream format: two valid secrets → the known header keeps the old signature', () => {
  const [secret, oldSecret] = [createSecret('cloud_api', 'hmac'), createSecret('cloud_api', 'hmac')];
  const signer = createSigner('cloud_api', secret, { secret: oldSecret, untilMs: NOW_MS + 1 });
  const event = messageEvent({ type: 'message.read' });
  const during = buildWebhookRequest(CLOUD_API, signer, event, NOW_MS);
  assert.equal(during?.headers['x-hub-signature-256'], hub(oldSecret, during?.body));
  assert.equal(during?.headers['x-hub-signature-256-next'], hub(secret, during?.body));
  const afterwards = buildWebhookRequest(CLOUD_API, signer, event, NOW_MS + 1);
  assert.equal(afterwards?.headers['x-hub-signature-256'], hub(secret, afterwards?.body));
  assert.equal(afterwards?.headers['x-hub-signature-256-next'], undefined);
});

test('upstream format: test event → status of a message that was never sent', () => {
  const signer = createSigner('cloud_api', createSecret('cloud_api', 'hmac'), undefined);
  const event = resourceEvent({ type: 'webhook.test', detail: { webhook_id: 'e1' } });
  const { body = '' } = buildWebhookRequest(CLOUD_API, signer, event, NOW_MS) ?? {};
  const timestamp = String(Math.floor(event.occurredAtMs / 1000));
  assert.deepEqual(JSON.parse(body), {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '0',
        changes: [
          {
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '16505551111', phone_number_id: '123456123' },
              statuses: [{ id: event.id, status: 'sent', timestamp, recipient_id: '16315551181' }],
              webhook_id: 'e1',
            },
            field: 'messages',
          },
        ],
      },
    ],
  });
});

test('upstream format: event without an upstream webhook → no request', () => {
  const signer = createSigner('cloud_api', createSecret('cloud_api', 'hmac'), undefined);
  assert.equal(buildWebhookRequest(CLOUD_API, signer, messageEvent({ type: 'message.queued' }), NOW_MS), undefined);
});
