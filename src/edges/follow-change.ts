import type { Logger } from 'pino';
import { followRegistration } from '../accounts/index.ts';
import { newId } from '../core/ids.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../database/database.ts';
import { recordEvents } from '../events/index.ts';
import type { Caller } from '../http/index.ts';
import type { Owned } from './owners/owned.ts';
import type { Edge } from './table/edge.ts';

export interface ChangeDeps {
  db: Database;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Reads a business account again: numbers and templates. */
  readAccount: (wabaId: string) => Promise<unknown>;
}

/** True if a call changes the configuration of a number, an account or one of their objects. */
export function isChange({ method, budget }: Edge): boolean {
  return method !== 'GET' && budget === 'management';
}

/**
 * Follows a change that the platform has made: registration, new numbers and templates, the event, and the line of the log. Neither holds
 * the body, which may contain a PIN. The platform has answered already, so a failure here is logged, and the answer goes out.
 */
export async function followChange(
  deps: ChangeDeps,
  { organizationId, apiKeyId, keyNumber }: Caller,
  edge: Edge,
  owned: Owned,
): Promise<void> {
  const { db, clock, log, readAccount } = deps;
  const { wabaId, number, objectId } = owned;
  const facts = { method: edge.method, edge: edge.path, operation: edge.name, objectId, wabaId };
  log.info({ organizationId, apiKeyId, keyNumber, ...facts }, 'configuration changed through the API');
  const work = [
    recordChange({ db, clock }, organizationId, edge, owned),
    ...(number !== undefined && edge.follows !== undefined && edge.follows !== 'account_read'
      ? [followRegistration(deps, number, edge.follows === 'registered')]
      : []),
    ...(edge.follows === 'account_read' ? [readAccount(wabaId)] : []),
  ];
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected')
      log.warn({ organizationId, ...facts, err: result.reason }, 'change not followed completely');
  }
}

async function recordChange(
  { db, clock }: Pick<ChangeDeps, 'db' | 'clock'>,
  organizationId: string,
  { method, path, name }: Edge,
  { kind, objectId, wabaId, number }: Owned,
): Promise<void> {
  const nowMs = clock.now();
  await db.transaction(async (tx) => {
    await recordEvents(tx, [
      {
        id: newId(nowMs),
        organizationId,
        type: 'configuration.changed',
        wabaId,
        numberId: number?.numberId,
        occurredAtMs: nowMs,
        detail: JSON.stringify({ operation: name, method, edge: path, object_kind: kind, object_id: objectId }),
      },
    ]);
  });
}
