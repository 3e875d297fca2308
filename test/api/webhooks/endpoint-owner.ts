import type { TestContext } from 'node:test';
import { newId } from '../../../src/core/ids.ts';
import type { Database } from '../../../src/database/database.ts';
import { eventId, recordEvents } from '../../../src/events/index.ts';
import { createOrganization } from '../../../src/organizations/index.ts';
import { createEndpoint } from '../../../src/outbound-webhooks/endpoints/create-endpoint.ts';
import { createTestDatabase } from '../../harness/database.ts';
import type { DeliveryNode } from './delivery-node.ts';

/** Settings of an endpoint that subscribes to every event. */
export const SETTINGS = {
  description: null,
  eventTypes: null,
  phoneNumberIds: null,
  wabaIds: null,
  format: 'standard',
  signing: 'hmac',
  messageIds: 'upstream',
  phoneNumbers: 'upstream',
  ordered: false,
  ratePerSecond: null,
} as const;

/** Creates an organization with an endpoint at `url`. */
export async function createOwner(
  node: DeliveryNode,
  url: string,
): Promise<{ organizationId: string; endpointId: string }> {
  const { id: organizationId } = await createOrganization(node, { name: 'Owner' });
  const { id: endpointId } = await createEndpoint(node, organizationId, { ...SETTINGS, url });
  return { organizationId, endpointId };
}

/** Records `count` events of the organization, with `text` in each; returns their ids. */
export async function emit(
  node: { db: Pick<Database, 'transaction'> },
  organizationId: string,
  count: number,
  text = '',
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  const event = {
    organizationId,
    type: 'upstream.other',
    wabaId: '7',
    occurredAtMs: Date.now(),
    detail: '{}',
    upstream: { field: 'account_update', value: JSON.stringify({ text }) },
  } as const;
  await node.db.transaction((tx) =>
    recordEvents(
      tx,
      ids.map((id) => ({ ...event, id })),
    ),
  );
  return ids.map((id) => eventId({ subjectId: id, sequence: 1 }));
}

/** Creates an empty database for the test; returns its connection string. */
export async function database(t: TestContext): Promise<string> {
  return (await createTestDatabase(t)).connectionString;
}
