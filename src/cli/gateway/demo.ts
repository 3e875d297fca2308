import { randomInt } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../core/make-directory.ts';
import type { Simulator } from '../../simulator/index.ts';

/** Data a new user needs to try the gateway. */
export interface Demo {
  apiKey: string;
  phoneNumberId: string;
  wabaId: string;
  /** A person whose 24-hour window is open. */
  recipient: string;
}

const FIRST_IDS = { wabaId: '100000000000001', phoneNumberId: '100000000000002' };
const ACCESS_TOKEN = 'EAAdemo';
const RECIPIENT = '12025550123';

/** The demo as stored between starts; without `apiKey` until that is created. */
interface Stored {
  organizationId: string;
  wabaId: string;
  phoneNumberId: string;
  apiKey?: string;
}

interface DemoDeps {
  baseUrl: string;
  adminToken: string;
  dataDir: string;
  simulator: Simulator;
}

/**
 * Sets up the demo tenant: a WABA on the simulated platform, connected to its own organization, and a person who has just written. Uses the
 * admin API like any operator. A later start reuses the organization and the key, unless this database does not have them. Each step
 * is stored, so that a start can continue where a killed one stopped.
 */
export async function setUpDemo(deps: DemoDeps): Promise<Demo> {
  const { simulator } = deps;
  const stored = await readStored(deps.dataDir);
  const demo = (stored && (await connect(deps, stored))) ?? (await create(deps));
  const { wabaId, phoneNumberId } = demo;
  const apiKey = demo.apiKey ?? (await createKey(deps, demo.organizationId));
  await store(deps.dataDir, { ...demo, apiKey });
  await simulator.world.inbound({ phoneNumberId, from: RECIPIENT });
  return { apiKey, phoneNumberId, wabaId, recipient: `+${RECIPIENT}` };
}

async function create(deps: DemoDeps): Promise<Stored> {
  const { id } = await post<{ id: string }>(deps, '/organizations', { name: 'Demo' });
  for (const ids of [FIRST_IDS, randomIds()]) {
    const demo = { organizationId: id, ...ids };
    await store(deps.dataDir, demo);
    const connected = await connect(deps, demo);
    if (connected !== undefined) return connected;
  }
  throw new Error('setting up the demo failed: its account is connected to another organization');
}

/** Ids for a database in which the demo of another data directory already uses FIRST_IDS. */
function randomIds() {
  const base = 200_000_000_000_000 + randomInt(2 ** 40) * 2;
  return { wabaId: String(base), phoneNumberId: String(base + 1) };
}

/** Connects the demo's account, created again on the platform; undefined if its organization is unknown or another has the account. */
async function connect(deps: DemoDeps, demo: Stored): Promise<Stored | undefined> {
  deps.simulator.world.addWaba({
    id: demo.wabaId,
    accessToken: ACCESS_TOKEN,
    name: 'Demo business',
    numbers: [{ id: demo.phoneNumberId, displayPhoneNumber: '+1 202-555-0100', verifiedName: 'Demo business' }],
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
  const body = { waba_id: demo.wabaId, access_token: ACCESS_TOKEN };
  const answer = await ask(deps, `/organizations/${demo.organizationId}/wabas`, body);
  if (answer.status === 404 || answer.status === 409) return undefined;
  await checked(answer);
  return demo;
}

async function createKey(deps: DemoDeps, organizationId: string): Promise<string> {
  return (await post<{ key: string }>(deps, `/organizations/${organizationId}/api-keys`, { name: 'demo' })).key;
}

function storePath(dataDir: string): string {
  return join(dataDir, 'demo.json');
}

async function readStored(dataDir: string): Promise<Stored | undefined> {
  try {
    const stored: Pick<Stored, 'organizationId'> & Partial<Stored> = JSON.parse(
      await readFile(storePath(dataDir), 'utf8'),
    );
    return { ...FIRST_IDS, ...stored };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Stores the demo. Writes a draft and renames it, so that a killed start leaves either the old or the new file. */
async function store(dataDir: string, demo: Stored): Promise<void> {
  await makeDirectory(dataDir);
  const draft = `${storePath(dataDir)}.draft`;
  await writeFile(draft, JSON.stringify(demo), { mode: 0o600 });
  await rename(draft, storePath(dataDir));
}

function ask(deps: DemoDeps, path: string, body: unknown): Promise<Response> {
  return fetch(`${deps.baseUrl}/admin/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${deps.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function post<Answer>(deps: DemoDeps, path: string, body: unknown): Promise<Answer> {
  return (await (await checked(await ask(deps, path, body))).json()) as Answer;
}

async function checked(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  throw new Error(
    `setting up the demo failed: ${new URL(answer.url).pathname} answered ${answer.status} ${await answer.text()}`,
  );
}
