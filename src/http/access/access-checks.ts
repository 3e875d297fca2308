import type { onSendHookHandler, preHandlerHookHandler } from 'fastify';
import { type ApiKeys, callerOf, requireAdminToken, requireApiKey } from './bearer.ts';
import type { RouteHooks, RouteRow } from './guard-routes.ts';
import { type CheckRate, limitRate } from './rate-limit.ts';

interface AccessDeps {
  adminToken: string;
  keyring: ApiKeys;
  checkRate: CheckRate;
  /** Returns true for the routes of sends, which name the organization of a look-up themselves and change nothing that is cached. */
  isSend: (name: string) => boolean;
  /** Resolves when every committed change is in force on this node. */
  catchUp: () => Promise<void>;
  /** Calls `serve` in the name of an organization, under the trace context of its request. */
  serveFor: (organizationId: string, traceparent: string | undefined, serve: () => void) => void;
}

/** Returns the hooks for the routes of each group of callers. */
export function accessChecks(deps: AccessDeps): (row: RouteRow) => RouteHooks {
  const requireKey = requireApiKey(deps.keyring);
  const send: RouteHooks = {
    onRequest: [requireKey, limitRate(deps.checkRate)],
    // Checked again when the body is complete: that may take half a minute, in which the key may have been disabled.
    preHandler: [requireKey],
  };
  const organization: RouteHooks = {
    ...send,
    // Not earlier: a body is read on behalf of its connection.
    preHandler: [requireKey, nameOrganization(deps)],
    onSend: [answerOnceInForce(deps)],
  };
  const operator: RouteHooks = { onRequest: [requireAdminToken(deps.adminToken)], onSend: [answerOnceInForce(deps)] };
  return ({ caller, name }) => {
    if (caller === 'operator') return operator;
    if (caller === 'organization') return deps.isSend(name) ? send : organization;
    return {};
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
