import type { FastifyInstance, FastifyRequest, onSendHookHandler, preHandlerHookHandler } from 'fastify';
import { invalid } from '../core/errors.ts';
import { firstIdAt, isUuid } from '../core/ids.ts';
import type { Queryable } from '../database/database.ts';
import { callerOf, type Query, type RouteRow, readInteger, readMatching, readText, readTime } from '../http/index.ts';
import { type Reader, renderChange, renderVerdict } from './audit-view.ts';
import type { ChainPlace } from './chain-check.ts';
import { DEPLOYMENT_CHAIN } from './entry.ts';
import { findChanges } from './find-changes.ts';
import { type AuditDeps, type BegunChange, beginChange, endChange } from './record-change.ts';
import { auditRuleOf } from './rules.ts';
import {
  CHANGES_PER_PAGE_MAX,
  listAuditSchema,
  listOwnAuditSchema,
  verifyAuditSchema,
  verifyOwnAuditSchema,
} from './schemas.ts';
import { verifyChain } from './verify-chain.ts';

const END_OF_TIME_MS = Date.UTC(9999, 0);
/** The `organization_id` of changes that belong to no organization. */
const NO_ORGANIZATION = 'none';

interface WithQuery {
  Querystring: Query;
}

/** Changes without a result, by their requests. */
const begun = new WeakMap<FastifyRequest, BegunChange>();

/**
 * Returns the hooks that record the changes of a route. A row is committed before the handler runs, so that no crash leaves a change
 * without a trace, and a second one with the result before the answer leaves. If the first row cannot be stored, the request is refused.
 */
export function auditHooks(
  deps: AuditDeps,
  row: RouteRow,
  operation: string,
): { preHandler?: preHandlerHookHandler[]; onSend?: onSendHookHandler[] } {
  const rule = auditRuleOf(row);
  if (rule === undefined) return {};
  return {
    preHandler: [
      async (request) => {
        begun.set(request, await beginChange(deps, rule, operation, request));
      },
    ],
    onSend: [
      async (request, reply, payload) => {
        const change = begun.get(request);
        if (change === undefined) return payload;
        // An answer that fails here is replaced by an error, which passes this hook again.
        begun.delete(request);
        try {
          await endChange(deps, rule, operation, { request, httpStatus: reply.statusCode, payload }, change);
        } catch (error) {
          // The change has been made, so its answer goes out; the row of the change stays without a result.
          deps.log.error({ err: error, operation, requestId: request.id }, 'result of a change not recorded');
        }
        return payload;
      },
    ],
  };
}

/** Registers the audit log, for operators under `/admin/v1` and for an organization's own part under `/v1`. */
export function auditRoutes(app: FastifyInstance, { db }: { db: Queryable }): void {
  app.get<WithQuery>('/admin/v1/audit', { schema: listAuditSchema }, ({ query }) =>
    readPage(db, query, readChain(query), 'operator'),
  );

  app.get<WithQuery>('/v1/audit', { schema: listOwnAuditSchema }, (request) =>
    readPage(db, request.query, callerOf(request).organizationId, 'api_key'),
  );

  app.get<WithQuery>('/admin/v1/audit/verification', { schema: verifyAuditSchema }, async ({ query }) => {
    const chain = readChain(query) ?? DEPLOYMENT_CHAIN;
    return renderVerdict(chain, await verifyChain(db, chain, readAnchor(query)));
  });

  app.get<WithQuery>('/v1/audit/verification', { schema: verifyOwnAuditSchema }, async (request) => {
    const chain = callerOf(request).organizationId;
    return renderVerdict(chain, await verifyChain(db, chain, readAnchor(request.query)));
  });
}

async function readPage(db: Queryable, query: Query, chain: string | undefined, reader: Reader) {
  const limit = readInteger(query, 'limit', { min: 1, max: CHANGES_PER_PAGE_MAX, fallback: 50 });
  const after = readText(query, 'after');
  if (after !== undefined && !isUuid(after)) throw invalid('"after" must be the "next" of an earlier answer.');
  const end = firstIdAt(readTime(query, 'to') ?? END_OF_TIME_MS);
  const page = await findChanges(db, {
    chain,
    fromId: firstIdAt(Math.max(0, readTime(query, 'from') ?? 0)),
    beforeId: after !== undefined && after < end ? after : end,
    operation: readMatching(query, 'operation', /^\w{1,100}$/, 'the id of an operation'),
    actorId: readMatching(query, 'actor', /^[\w-]{1,100}$/, 'the id of an operator or key'),
    objectId: readMatching(query, 'object', /^[\w=+/.-]{1,200}$/, 'the id of an object'),
    limit,
  });
  return {
    data: page.map((change) => renderChange(change, reader)),
    next: page.length < limit ? null : (page.at(-1)?.stored.id ?? null),
  };
}

function readChain(query: Query): string | undefined {
  const organizationId = readText(query, 'organization_id')?.toLowerCase();
  if (organizationId === NO_ORGANIZATION) return DEPLOYMENT_CHAIN;
  if (organizationId !== undefined && !isUuid(organizationId)) {
    throw invalid(`"organization_id" must be the id of an organization, or "${NO_ORGANIZATION}".`);
  }
  return organizationId;
}

/** Reads a place that was noted earlier: both parameters or neither. */
function readAnchor(query: Query): ChainPlace | undefined {
  const sequence = readInteger(query, 'sequence', { min: 0, max: 999_999_999, fallback: 0 });
  const digest = readMatching(query, 'digest', /^[0-9a-f]{64}$/, 'a SHA-256 in small hexadecimal digits');
  if ((sequence === 0) !== (digest === undefined)) throw invalid('"sequence" and "digest" belong together.');
  return digest === undefined ? undefined : { sequence, digest: Buffer.from(digest, 'hex') };
}
