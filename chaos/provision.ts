import { type Lane, LOAD_TEMPLATES } from './load-plan.ts';
import type { SimulatedUpstream } from './simulated-upstream.ts';

export interface ProvisionOptions {
  upstream: SimulatedUpstream;
  /** Port of a gateway that is ready. */
  gatewayPort: number;
  adminToken: string;
  numbers: number;
  lanes: number;
  hotMessages: number;
  /** One recipient of this many has written recently; null for none. */
  windowEvery: number | null;
}

/** One lane of this many is hot. Not a multiple of the count of numbers, so that each number has hot lanes. */
const HOT_EVERY = 21;

/** Creates one tenant with business accounts of one number each, known to the upstream and connected, and the lanes of its load. */
export async function provision(options: ProvisionOptions): Promise<{ apiKey: string; lanes: Lane[] }> {
  const { upstream, numbers, windowEvery } = options;
  const organization = (await admin(options, '/organizations', { name: 'Chaos' })) as { id: string };
  const { key } = (await admin(options, `/organizations/${organization.id}/api-keys`, { name: 'load' })) as {
    key: string;
  };
  const phoneNumberIds = Array.from(
    { length: numbers },
    (_, index) => `2000000000000${String(index).padStart(2, '0')}`,
  );
  for (const [index, phoneNumberId] of phoneNumberIds.entries()) {
    const wabaId = `1000000000000${String(index).padStart(2, '0')}`;
    const accessToken = `EAAchaos${index}`;
    const displayPhoneNumber = `+1 415-555-${String(1000 + index)}`;
    await upstream.addNumber({ wabaId, phoneNumberId, accessToken, displayPhoneNumber, templates: templates() });
    await admin(options, `/organizations/${organization.id}/wabas`, { waba_id: wabaId, access_token: accessToken });
  }
  const lanes = Array.from({ length: options.lanes }, (_, lane) => ({
    lane,
    phoneNumberId: phoneNumberIds[lane % numbers] ?? '',
    recipient: `+1312555${String(lane).padStart(4, '0')}`,
    hotMessages: lane % HOT_EVERY === 0 ? options.hotMessages : 0,
    hasWindow: windowEvery !== null && lane % windowEvery === 1,
  }));
  await Promise.all(
    lanes
      .filter((lane) => lane.hasWindow)
      .map(({ phoneNumberId, recipient }) =>
        upstream.call('POST', '/inbound', { phone_number_id: phoneNumberId, from: recipient.slice(1), text: 'Hello' }),
      ),
  );
  return { apiKey: key, lanes };
}

function templates(): unknown[] {
  return LOAD_TEMPLATES.map(({ name, category }) => ({
    name,
    category,
    language: 'en_US',
    components: [{ type: 'BODY', text: 'Your reference {{1}} is ready.', example: { body_text: [['A-1042']] } }],
  }));
}

async function admin(options: ProvisionOptions, path: string, body: unknown): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${options.gatewayPort}/admin/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${options.adminToken}` },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}
