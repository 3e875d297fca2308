import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Simulator } from '../simulator/index.ts';

/** What a newcomer needs to try the gateway. */
export interface Demo {
  apiKey: string;
  phoneNumberId: string;
  wabaId: string;
  /** A person whose 24-hour window is open. */
  recipient: string;
}

const WABA_ID = '100000000000001';
const PHONE_NUMBER_ID = '100000000000002';
const ACCESS_TOKEN = 'EAAdemo';
const RECIPIENT = '12025550123';

/**
 * Sets up the demo tenant: a WABA on the simulated platform, connected to an organization of its own, and a person who has
 * just written. Goes through the admin API like any operator. On a later start the same organization and key are used.
 */
export async function setUpDemo(deps: {
  baseUrl: string;
  adminToken: string;
  dataDir: string;
  simulator: Simulator;
}): Promise<Demo> {
  const { simulator } = deps;
  simulator.world.addWaba({
    id: WABA_ID,
    accessToken: ACCESS_TOKEN,
    name: 'Demo business',
    numbers: [{ id: PHONE_NUMBER_ID, displayPhoneNumber: '+1 202-555-0100', verifiedName: 'Demo business' }],
    templates: [
      {
        name: 'order_update',
        language: 'en_US',
        category: 'UTILITY',
        components: [
          { type: 'BODY', text: 'Your order {{1}} is on its way today.', example: { body_text: [['A-1042']] } },
        ],
      },
      { name: 'spring_sale', language: 'en_US', category: 'MARKETING' },
      { name: 'hello_world', language: 'en_US', category: 'UTILITY' },
    ],
  });
  const stored = await readStored(deps.dataDir);
  const organizationId =
    stored?.organizationId ?? (await post<{ id: string }>(deps, '/organizations', { name: 'Demo' })).id;
  await post(deps, `/organizations/${organizationId}/wabas`, { waba_id: WABA_ID, access_token: ACCESS_TOKEN });
  const apiKey =
    stored?.apiKey ??
    (await post<{ key: string }>(deps, `/organizations/${organizationId}/api-keys`, { name: 'demo' })).key;
  if (stored === undefined) {
    await writeFile(storePath(deps.dataDir), JSON.stringify({ organizationId, apiKey }), { mode: 0o600 });
  }
  await simulator.world.inbound({ phoneNumberId: PHONE_NUMBER_ID, from: RECIPIENT });
  return { apiKey, phoneNumberId: PHONE_NUMBER_ID, wabaId: WABA_ID, recipient: `+${RECIPIENT}` };
}

function storePath(dataDir: string): string {
  return join(dataDir, 'demo.json');
}

async function readStored(dataDir: string): Promise<{ organizationId: string; apiKey: string } | undefined> {
  try {
    return JSON.parse(await readFile(storePath(dataDir), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function post<Answer>(
  deps: { baseUrl: string; adminToken: string },
  path: string,
  body: unknown,
): Promise<Answer> {
  const response = await fetch(`${deps.baseUrl}/admin/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${deps.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok)
    throw new Error(`setting up the demo failed: ${path} answered ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}
