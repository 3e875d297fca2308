import { AppError, invalid } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { SecretBox } from '../../core/secret-box.ts';
import type { Clock } from '../../core/time/clock.ts';
import { publishChange } from '../../database/changes/change-feed.ts';
import type { Database, Queryable } from '../../database/database.ts';
import type { Egress } from '../../egress/index.ts';
import { checkFormatChoices, encodeCursor, readHorizon } from '../../events/index.ts';
import { createSecret } from '../attempt/signature.ts';
import type { Endpoint, EndpointSettings } from '../endpoint.ts';
import { noteEndpointChange } from '../queue/queue-queries.ts';
import { ENDPOINTS_MAX, insertEndpoint, type NewEndpoint } from './endpoint-queries.ts';
import { sealSecret } from './endpoint-secrets.ts';
import { checkEndpointUrl } from './endpoint-url.ts';

export interface EndpointDeps {
  db: Database;
  clock: Clock;
  secretBox: SecretBox;
  egress: Pick<Egress, 'checkUrl'>;
}

/**
 * Registers an endpoint, which gets the events committed from now on.
 * Raises VALIDATION_ERROR for a forbidden URL or settings that contradict each other, CONFLICT if the organization has `ENDPOINTS_MAX`
 * endpoints.
 */
export async function createEndpoint(
  deps: EndpointDeps,
  organizationId: string,
  input: EndpointSettings,
): Promise<Endpoint> {
  if (input.format === 'cloud_api' && input.signing === 'ed25519') {
    throw invalid('"signing" must be "hmac" in the format "cloud_api".');
  }
  checkFormatChoices(input);
  const url = checkEndpointUrl(deps.egress, input.url);
  const nowMs = deps.clock.now();
  const id = newId(nowMs);
  const owner = { organizationId, id };
  const secretSealed = sealSecret(deps.secretBox, owner, createSecret(input.format, input.signing));
  return await deps.db.transaction(async (tx) => {
    await announceChange(tx, id);
    return await addEndpoint(tx, organizationId, { ...input, id, url, secretSealed }, nowMs);
  });
}

/** Stores an endpoint. Call `announceChange` in the same transaction before. Raises CONFLICT if the organization has `ENDPOINTS_MAX`. */
export async function addEndpoint(
  tx: Queryable,
  organizationId: string,
  endpoint: NewEndpoint,
  nowMs: number,
): Promise<Endpoint> {
  const added = await insertEndpoint(tx, organizationId, endpoint, nowMs);
  if (added !== undefined) return added;
  throw new AppError('CONFLICT', `There are ${ENDPOINTS_MAX} endpoints already; delete one first.`);
}

/**
 * Notifies every node that this transaction changes an endpoint, and blocks the fan-out of events until it ends. Call it before touching
 * the endpoint's row, because locks are taken in this order everywhere.
 */
export async function announceChange(tx: Queryable, id: string): Promise<void> {
  await noteEndpointChange(tx, encodeCursor(await readHorizon(tx)));
  await publishChange(tx, 'webhook', id);
}
