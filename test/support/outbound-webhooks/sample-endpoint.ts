import type { Endpoint } from '../../../src/outbound-webhooks/endpoint.ts';

/** Builds an endpoint that subscribes to all events, with the given members. */
export function sampleEndpoint(members: Partial<Endpoint>): Endpoint {
  return {
    organizationId: 'o',
    id: 'e1',
    endpointNumber: 1,
    url: 'https://hooks.example.com/',
    description: null,
    format: 'standard',
    signing: 'hmac',
    messageIds: 'upstream',
    phoneNumbers: 'upstream',
    eventTypes: null,
    phoneNumberIds: null,
    wabaIds: null,
    ordered: false,
    ratePerSecond: null,
    secretSealed: Buffer.alloc(0),
    oldSecret: null,
    disabled: null,
    failingSinceMs: null,
    failuresInRow: 0,
    since: { next: 0n, open: [] },
    createdAtMs: 0,
    updatedAtMs: 0,
    ...members,
  };
}
