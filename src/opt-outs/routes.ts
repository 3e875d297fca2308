import type { FastifyInstance } from 'fastify';
import { permittedNumberIds } from '../accounts/index.ts';
import { invalid } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';
import {
  type Caller,
  callerOf,
  checkOwnNumber,
  type Query,
  readInteger,
  readJsonBody,
  readNumberId,
  readText,
} from '../http/index.ts';
import { addOptOut, type OptOutDeps, removeOptOut } from './change-opt-outs.ts';
import { pageOfOptOuts } from './list-opt-outs.ts';
import { renderOptOut } from './opt-out-view.ts';
import {
  addOptOutSchema,
  listOptOutsSchema,
  OPT_OUTS_PER_PAGE_MAX,
  optOutBody,
  removeOptOutSchema,
} from './schemas.ts';

/** Registers the list of opt-outs under `/v1/opt-outs`. */
export function optOutRoutes(app: FastifyInstance, deps: OptOutDeps): void {
  app.get('/v1/opt-outs', { schema: listOptOutsSchema }, async (request) => {
    const query = request.query as Query;
    const caller = callerOf(request);
    const before = readText(query, 'after');
    if (before !== undefined && !isUuid(before)) throw invalid('"after" must be the "next" of an earlier answer.');
    const number = readNumberId(query, 'number');
    if (number !== undefined) await permittedNumberIds(deps.accounts, caller, number);
    const page = await pageOfOptOuts(deps.db, caller.organizationId, {
      phoneNumberIds: number === undefined ? permittedNumbers(caller) : [number],
      person: readText(query, 'person'),
      before,
      limit: readInteger(query, 'limit', { min: 1, max: OPT_OUTS_PER_PAGE_MAX, fallback: 50 }),
    });
    return { data: page.optOuts.map(renderOptOut), next: page.next };
  });

  app.post('/v1/opt-outs', { schema: addOptOutSchema }, async (request, reply) => {
    const { phone_number_id: phoneNumberId, person } = readJsonBody(request, optOutBody);
    const caller = callerOf(request);
    await deps.accounts.getNumber(caller.organizationId, phoneNumberId);
    checkOwnNumber(caller, phoneNumberId);
    const added = await addOptOut(deps, caller.organizationId, phoneNumberId, person);
    return reply.code(added.isNew ? 201 : 200).send(renderOptOut(added));
  });

  app.delete<{ Params: { id: string } }>('/v1/opt-outs/:id', { schema: removeOptOutSchema }, async (request, reply) => {
    const caller = callerOf(request);
    await removeOptOut(deps, caller.organizationId, request.params.id, permittedNumbers(caller));
    return reply.code(204).send();
  });
}

/** Returns the numbers that a key is limited to; undefined for all. */
function permittedNumbers({ limits }: Caller): string[] | undefined {
  const permitted = limits?.phoneNumberIds ?? null;
  return permitted === null ? undefined : [...permitted];
}
