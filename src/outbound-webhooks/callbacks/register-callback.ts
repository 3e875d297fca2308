import { newId } from '../../core/ids.ts';
import type { Queryable } from '../../database/database.ts';
import type { OrganizationSettings } from '../../organizations/index.ts';
import { createSecret } from '../attempt/signature.ts';
import type { Endpoint } from '../endpoint.ts';
import { addEndpoint, announceChange, type EndpointDeps } from '../endpoints/create-endpoint.ts';
import { lockEndpoint, markDeleted, updateEndpoint } from '../endpoints/endpoint-queries.ts';
import { sealSecret } from '../endpoints/endpoint-secrets.ts';
import { checkEndpointUrl } from '../endpoints/endpoint-url.ts';
import { type CallbackPlace, filterOf } from './callback.ts';
import { claimCallback, deleteCallback, lockCallback } from './callback-queries.ts';
import type { ShakeHands } from './shake-hands.ts';

export interface CallbackDeps extends EndpointDeps {
  shakeHands: ShakeHands;
  settings: Pick<OrganizationSettings, 'get'>;
}

/** An address as a client registers it. */
export interface Registration {
  url: string;
  verifyToken: string;
  /** The platform's webhook fields that an app asks for; null for an override. */
  fields: readonly string[] | null;
  /** The API key of the request, which signs the deliveries as an app secret would. Undefined for a caller without a key. */
  apiKey: string | undefined;
}

/**
 * Registers an address for an object of the organization, after a handshake: an endpoint of the format `cloud_api`, in place of the one
 * registered for this object before. Raises VALIDATION_ERROR for a forbidden URL or a failed handshake, CONFLICT for too many endpoints.
 */
export async function registerCallback(
  deps: CallbackDeps,
  organizationId: string,
  place: CallbackPlace,
  { url: given, verifyToken, fields, apiKey }: Registration,
): Promise<void> {
  const url = checkEndpointUrl(deps.egress, given, place.kind === 'app' ? 'callback_url' : 'override_callback_uri');
  await deps.shakeHands(organizationId, url, verifyToken);
  const nowMs = deps.clock.now();
  const { phoneNumbers } = await deps.settings.get(organizationId);
  const secret = apiKey ?? createSecret('cloud_api', 'hmac');
  await deps.db.transaction(async (tx) => {
    const made = newId(nowMs);
    const id = (await claimCallback(tx, organizationId, place, { endpointId: made, fields })) ?? made;
    await announceChange(tx, id);
    const filter = filterOf(place, fields);
    const known = await lockEndpoint(tx, organizationId, id);
    if (known !== undefined) {
      const secretSealed = sealSecret(deps.secretBox, known, secret);
      await updateEndpoint(tx, { ...renewed(known), ...filter, url, secretSealed }, nowMs);
      return;
    }
    const secretSealed = sealSecret(deps.secretBox, { organizationId, id }, secret);
    const settings = { ...NEW, ...filter, phoneNumbers, url, description: DESCRIPTION[place.kind] };
    await addEndpoint(tx, organizationId, { ...settings, id, secretSealed }, nowMs);
  });
}

const DESCRIPTION = {
  app: 'Registered with POST /{app}/subscriptions.',
  account: 'Registered with POST /{waba}/subscribed_apps.',
  number: 'Registered with webhook_configuration of a number.',
};

/** Settings of a new endpoint. Clients of the Cloud API know a message by the id in the answer to their send. */
const NEW = {
  format: 'cloud_api',
  signing: 'hmac',
  messageIds: 'gateway',
  ordered: false,
  ratePerSecond: null,
} as const;

/** Returns an endpoint that has just passed a handshake, and counts as healthy. */
function renewed(endpoint: Endpoint): Endpoint {
  return { ...endpoint, oldSecret: null, disabled: null, failingSinceMs: null, failuresInRow: 0 };
}

/** Subscribes a business account without an address of its own: one that it had is ended. */
export async function subscribeAccount(deps: CallbackDeps, organizationId: string, wabaId: string): Promise<void> {
  const place = { kind: 'account', objectId: wabaId } as const;
  await deps.db.transaction(async (tx) => {
    const known = await lockCallback(tx, organizationId, place);
    if (known?.endpointId != null) await endEndpoint(deps, tx, organizationId, known.endpointId);
    await claimCallback(tx, organizationId, place, { endpointId: null, fields: null });
  });
}

/**
 * Ends the registration of an object, and its endpoint. `fields` ends only these fields of an app, and the rest stays. Does nothing if there is
 * none.
 */
export async function endCallback(
  deps: CallbackDeps,
  organizationId: string,
  place: CallbackPlace,
  fields?: readonly string[],
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const known = await lockCallback(tx, organizationId, place);
    if (known === undefined) return;
    const { endpointId } = known;
    const left = known.fields?.filter((field) => fields !== undefined && !fields.includes(field)) ?? [];
    if (left.length > 0 && endpointId !== null) {
      await claimCallback(tx, organizationId, place, { endpointId, fields: left });
      await announceChange(tx, endpointId);
      const endpoint = await lockEndpoint(tx, organizationId, endpointId);
      if (endpoint !== undefined) await updateEndpoint(tx, { ...endpoint, ...filterOf(place, left) }, deps.clock.now());
      return;
    }
    await deleteCallback(tx, organizationId, place);
    if (endpointId !== null) await endEndpoint(deps, tx, organizationId, endpointId);
  });
}

async function endEndpoint(deps: CallbackDeps, tx: Queryable, organizationId: string, id: string): Promise<void> {
  await announceChange(tx, id);
  await markDeleted(tx, organizationId, id, deps.clock.now());
}
