import { createHmac } from 'node:crypto';
import { postRequest } from './load.ts';
import type { BenchGateway } from './processes.ts';

let recipient = 2_000_000;

/** A template send of about 400 bytes to a person nobody else writes to, from the gateway's numbers in turn. */
export function sendRequest(gateway: BenchGateway, options: { keyed?: boolean; category?: string } = {}): string {
  recipient += 1;
  const { keyed = false, category = 'marketing' } = options;
  const number = gateway.numbers[recipient % gateway.numbers.length] ?? '';
  const body = JSON.stringify({
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: `+1415${recipient}`,
    type: 'template',
    template: {
      name: `bench_${category}`,
      language: { code: 'en_US' },
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: `A-${recipient}` },
            { type: 'text', text: 'a parameter of a length that such parameters have' },
          ],
        },
      ],
    },
  });
  const headers: Record<string, string> = { authorization: `Bearer ${gateway.apiKey}` };
  if (keyed) headers['idempotency-key'] = `bench-${recipient}`;
  return postRequest(`/v1/${number}/messages`, headers, body);
}

/** A signed webhook with one status, and further members of it. */
export function statusRequest(
  phoneNumberId: string,
  wamid: string,
  status: string,
  members: Record<string, unknown> = {},
): string {
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '100',
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '12025550000', phone_number_id: phoneNumberId },
              statuses: [
                {
                  id: wamid,
                  status,
                  timestamp: String(Math.floor(Date.now() / 1000)),
                  recipient_id: '14152000001',
                  pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'marketing' },
                  ...members,
                },
              ],
            },
          },
        ],
      },
    ],
  });
  const signature = createHmac('sha256', 'bench-secret').update(body).digest('hex');
  return postRequest('/webhooks/upstream', { 'x-hub-signature-256': `sha256=${signature}` }, body);
}
