import type { FastifyInstance } from 'fastify';
import type { Now } from '../core/now.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Queryable } from '../database/database.ts';
import { callerOf } from '../http/index.ts';
import { findOpenWindow } from './find-window.ts';
import { getWindowSchema } from './schemas.ts';

export interface WindowRouteDeps {
  db: Queryable;
  clock: Pick<Clock, 'now'>;
  /** Returns a number of the organization; raises ACCOUNT_NOT_FOUND. */
  getNumber(organizationId: string, phoneNumberId: string): Now<{ numberId: number; wabaId: string }>;
}

/** Registers `GET /v1/{phone_number_id}/windows/{person}`. */
export function windowRoutes(app: FastifyInstance, deps: WindowRouteDeps): void {
  app.get<{ Params: { phoneNumberId: string; person: string } }>(
    '/v1/:phoneNumberId/windows/:person',
    { schema: getWindowSchema },
    async (request) => {
      const { organizationId } = callerOf(request);
      const { phoneNumberId, person } = request.params;
      const { numberId, wabaId } = await deps.getNumber(organizationId, phoneNumberId);
      const window = await findOpenWindow(deps, { organizationId, numberId, wabaId }, person);
      return {
        open: window !== undefined,
        opened_by: window?.by ?? null,
        opened_at: timeOf(window?.openedAtMs),
        expires_at: timeOf(window?.expiresAtMs),
      };
    },
  );
}

function timeOf(epochMs: number | undefined): string | null {
  return epochMs === undefined ? null : new Date(epochMs).toISOString();
}
