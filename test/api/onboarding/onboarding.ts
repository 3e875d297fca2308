import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { NumberSeed, TemplateSeed } from '../../../src/simulator/index.ts';
import { type Answer, admin, askAdmin, freshRecipient, type Served, until } from '../../harness/tenant.ts';

/** A business at the platform that no organization has connected, and an organization of the gateway without an account. */
export interface Newcomer {
  organizationId: string;
  wabaId: string;
  phoneNumberId: string;
  accessToken: string;
  recipient: string;
}

const HELLO: TemplateSeed = { name: 'hello_world', language: 'en_US', category: 'UTILITY' };

/** Creates a newcomer. Its number is verified and not registered. */
export async function createNewcomer(
  gateway: Served,
  seed: { number?: Partial<NumberSeed>; templates?: TemplateSeed[]; subscribed?: boolean } = {},
): Promise<Newcomer> {
  const serial = String(randomInt(100_000_000, 999_999_999));
  const newcomer = { wabaId: `71${serial}`, phoneNumberId: `81${serial}`, accessToken: `EAAnew${serial}` };
  gateway.simulator.world.addWaba({
    ...{ id: newcomer.wabaId, accessToken: newcomer.accessToken, subscribed: seed.subscribed ?? false },
    numbers: [
      {
        ...{ id: newcomer.phoneNumberId, displayPhoneNumber: `+1555${serial}` },
        ...{ status: 'PENDING', platformType: 'NOT_APPLICABLE', ...seed.number },
      },
    ],
    templates: seed.templates ?? [HELLO],
  });
  const { id } = await admin<{ id: string }>(gateway, 'POST', '/organizations', { name: `Newcomer ${serial}` });
  return { ...newcomer, organizationId: id, recipient: freshRecipient() };
}

export type View = Answer['json'];

/** Begins an onboarding that must be accepted. */
export function begin(gateway: Served, { organizationId }: Newcomer, body: unknown): Promise<View> {
  return admin(gateway, 'POST', `/organizations/${organizationId}/onboardings`, body);
}

export function read(gateway: Served, { organizationId }: Newcomer, id: string): Promise<View> {
  return admin(gateway, 'GET', `/organizations/${organizationId}/onboardings/${id}`);
}

export function repeat(
  gateway: Served,
  { organizationId }: Newcomer,
  id: string,
  step: string,
  body?: unknown,
): Promise<Answer> {
  return askAdmin(gateway, 'POST', `/organizations/${organizationId}/onboardings/${id}/steps/${step}`, body);
}

/** Waits until the onboarding rests. */
export function untilRests(gateway: Served, newcomer: Newcomer, id: string): Promise<View> {
  return until(`onboarding ${id} rests`, async () => {
    const view = await read(gateway, newcomer, id);
    return view.state === 'running' ? undefined : view;
  });
}

/** Returns the states of the steps by name. */
export function statesOf(view: View): Record<string, string> {
  return Object.fromEntries(view.steps.map((step: View) => [step.step, step.state]));
}

/** Returns the step of this name. */
export function stepOf(view: View, name: string): View {
  return view.steps.find((step: View) => step.step === name);
}

/** Returns a free port, for a gateway whose address has to be known before it starts. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return free;
}
