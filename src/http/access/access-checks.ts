import type { onSendHookHandler, preHandlerHookHandler } from 'fastify';
import { callerOf } from './bearer.ts';
import type { Callers } from './callers.ts';
import type { RouteHooks, RouteRow } from './guard-routes.ts';
import { type NumberLookups, requirePermission } from './key-limits.ts';
import { type OperatorCheck, requireOperator } from './operator-token.ts';
import { type CheckRate, limitRate } from './rate-limit.ts';
import { maskAnswers } from './support-mask.ts';

interface AccessDeps {
  callers: Callers;
  operators: OperatorCheck;
  numberLookups: NumberLookups;
  checkRate: CheckRate;
  /** Returns true for the routes of sends, which name the organization of a look-up themselves and change nothing that is cached. */
  isSend: (name: string) => boolean;
  /** Resolves when every committed change is in force on this node. */
  catchUp: () => Promise<void>;
  /** Calls `serve` in the name of an organization, under the trace context of its request. */
  serveFor: (organizationId: string, traceparent: string | undefined, serve: () => void) => void;
}

/** Returns the hooks for the route of each row. */
export function accessChecks(deps: AccessDeps): (row: RouteRow) => RouteHooks {
  const requireCaller = deps.callers.require;
  const requireRole = requireOperator(deps.operators);
  const answerInForce = answerOnceInForce(deps);
  return (row) => {
    if (row.caller === 'operator') {
      return { onRequest: [requireRole(row.needs)], onSend: [answerInForce, maskAnswers] };
    }
    if (row.caller !== 'organization') return {};
    const isSend = deps.isSend(row.name);
    const rate = limitRate(deps.checkRate, isSend && row.name.startsWith('POST '));
    const onRequest = [requireCaller, requirePermission(row, deps.numberLookups), rate];
    // The key is checked again when the body is complete: that may take half a minute, in which the key may have been disabled.
    if (isSend) return { onRequest, preHandler: [requireCaller] };
    // The organization is not named earlier: a body is read on behalf of its connection.
    return { onRequest, preHandler: [requireCaller, nameOrganization(deps)], onSend: [answerInForce, maskAnswers] };
  };
}

/** Returns a hook that serves the rest of a request in the name of its organization. */
function nameOrganization({ serveFor }: Pick<AccessDeps, 'serveFor'>): preHandlerHookHandler {
  return (request, _reply, done) => {
    const { traceparent } = request.headers;
    serveFor(callerOf(request).organizationId, typeof traceparent === 'string' ? traceparent : undefined, done);
  };
}

/**
 * Returns a hook that delays the answer to a change until the change is in force on this node. Without this, a number answered as paused
 * might still send its next message, and a new template might not be found. Other nodes follow within a second.
 */
function answerOnceInForce({ catchUp }: Pick<AccessDeps, 'catchUp'>): onSendHookHandler {
  return (request, reply, _payload, done) => {
    const isChange = request.method !== 'GET' && request.method !== 'HEAD' && reply.statusCode < 300;
    if (isChange) catchUp().then(() => done(), done);
    else done();
  };
}
