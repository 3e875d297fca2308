import { createHmac } from 'node:crypto';
import { postRequest } from './load.ts';
import type { BenchGateway } from './processes.ts';

let recipient = 2_000_000;

/** The API key of a send and the numbers it may use. */
export type Sender = Pick<BenchGateway, 'apiKey' | 'numbers'>;

/** Builds a template send of about 400 bytes to a unique recipient, from the sender's numbers in turn. */
export function sendRequest(
  sender: Sender,
  {
    keyed = false,
    category = 'marketing',
    timed = false,
    sync = false,
  }: { keyed?: boolean; category?: string; timed?: boolean; sync?: boolean } = {},
): string {
  recipient += 1;
  const number = sender.numbers[recipient % sender.numbers.length] ?? '';
  const filling = 'a parameter of a length that such parameters have';
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
            { type: 'text', text: timed ? `bench_at:${Date.now()}` : filling },
          ],
        },
      ],
    },
  });
  const headers: Record<string, string> = { authorization: `Bearer ${sender.apiKey}` };
  if (keyed) headers['idempotency-key'] = `bench-${recipient}`;
  return postRequest(`/v1/${number}/messages${sync ? '?sync=true' : ''}`, headers, body);
}

export interface RequestParts {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** Splits a request's text, for clients that frame it themselves. */
export function partsOf(request: string): RequestParts {
  const [head = '', body = ''] = request.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const [method = '', path = ''] = line.split(' ');
  const headers = Object.fromEntries(fields.map((field) => field.split(': ') as [string, string]));
  delete headers['content-length'];
  delete headers.host;
  return { method, path, headers, body };
}

/** Builds a signed webhook with one status and further members. */
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
