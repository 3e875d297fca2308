import { AppError } from '../../core/errors.ts';
import { checkFormatChoices } from '../../events/index.ts';
import { createSecret } from '../attempt/signature.ts';
import { deleteCallbackOf } from '../callbacks/callback-queries.ts';
import type { Endpoint, EndpointSettings } from '../endpoint.ts';
import { tryRetriesNow } from '../queue/try-retries-now.ts';
import { announceChange, type EndpointDeps } from './create-endpoint.ts';
import {
  ENDPOINTS_MAX,
  findEndpoint,
  listEndpoints,
  lockEndpoint,
  markDeleted,
  updateEndpoint,
} from './endpoint-queries.ts';
import { sealSecret } from './endpoint-secrets.ts';
import { checkEndpointUrl } from './endpoint-url.ts';

/**
 * Changes that an owner may make; undefined members stay unchanged. `disabled` makes all deliveries wait until the endpoint is enabled
 * again.
 */
export type EndpointChange = {
  [Member in keyof Omit<EndpointSettings, 'format' | 'signing'>]?: EndpointSettings[Member] | undefined;
} & { disabled?: true | undefined };

const HEALTHY = { failingSinceMs: null, failuresInRow: 0 };

/** Returns an endpoint of the organization. Raises NOT_FOUND. */
export async function getEndpoint(
  deps: Pick<EndpointDeps, 'db'>,
  organizationId: string,
  id: string,
): Promise<Endpoint> {
  return (await findEndpoint(deps.db, organizationId, id)) ?? throwNotFound();
}

/** Changes an endpoint. Raises NOT_FOUND, and VALIDATION_ERROR for a forbidden URL or a choice that its format does not offer. */
export async function changeEndpoint(
  deps: EndpointDeps,
  organizationId: string,
  id: string,
  change: EndpointChange,
): Promise<Endpoint> {
  const { disabled, ...members } = change;
  const url = members.url === undefined ? undefined : checkEndpointUrl(deps.egress, members.url);
  const given = Object.fromEntries(Object.entries({ ...members, url }).filter(([, value]) => value !== undefined));
  return await update(deps, organizationId, id, (endpoint, nowMs) => ({
    ...endpoint,
    ...given,
    // The health of a new address is not known yet.
    ...(url !== undefined && url !== endpoint.url && HEALTHY),
    disabled: endpoint.disabled ?? (disabled === true ? { atMs: nowMs, reason: 'owner' } : null),
  }));
}

/** Disables all endpoints of an organization, as its owner would. */
export async function disableEndpointsOf(deps: EndpointDeps, organizationId: string): Promise<void> {
  const endpoints = await listEndpoints(deps.db, organizationId, undefined, ENDPOINTS_MAX);
  for (const { id, disabled } of endpoints) {
    if (disabled !== null) continue;
    await changeEndpoint(deps, organizationId, id, { disabled: true }).catch((error) => {
      // The endpoint was deleted just now.
      if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
    });
  }
}

/** Enables an endpoint: waiting deliveries go out, at `ratePerSecond` if given, and retries are due at once. Raises NOT_FOUND. */
export async function enableEndpoint(
  deps: EndpointDeps,
  organizationId: string,
  id: string,
  ratePerSecond: number | null | undefined,
): Promise<Endpoint> {
  const enabled = await update(deps, organizationId, id, (endpoint) => ({
    ...endpoint,
    ...HEALTHY,
    disabled: null,
    ratePerSecond: ratePerSecond === undefined ? endpoint.ratePerSecond : ratePerSecond,
  }));
  await tryRetriesNow(deps, enabled);
  return enabled;
}

/** Gives an endpoint a new secret; the old one also signs for `overlapMs` more. Raises NOT_FOUND. */
export async function rotateSecret(
  deps: EndpointDeps,
  organizationId: string,
  id: string,
  overlapMs: number,
): Promise<Endpoint> {
  return await update(deps, organizationId, id, (endpoint, nowMs) => ({
    ...endpoint,
    secretSealed: sealSecret(deps.secretBox, endpoint, createSecret(endpoint.format, endpoint.signing)),
    oldSecret: overlapMs === 0 ? null : { sealed: endpoint.secretSealed, untilMs: nowMs + overlapMs },
  }));
}

/** Deletes an endpoint and all deliveries that wait for it. Raises NOT_FOUND. */
export async function deleteEndpoint(deps: EndpointDeps, organizationId: string, id: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await deleteCallbackOf(tx, organizationId, id);
    await announceChange(tx, id);
    if (!(await markDeleted(tx, organizationId, id, deps.clock.now()))) throwNotFound();
  });
}

async function update(
  deps: EndpointDeps,
  organizationId: string,
  id: string,
  change: (endpoint: Endpoint, nowMs: number) => Endpoint,
): Promise<Endpoint> {
  const nowMs = deps.clock.now();
  return await deps.db.transaction(async (tx) => {
    await announceChange(tx, id);
    const endpoint = (await lockEndpoint(tx, organizationId, id)) ?? throwNotFound();
    const changed = change(endpoint, nowMs);
    checkFormatChoices(changed);
    return await updateEndpoint(tx, changed, nowMs);
  });
}

function throwNotFound(): never {
  throw new AppError('NOT_FOUND', 'There is no webhook endpoint with this id.');
}
