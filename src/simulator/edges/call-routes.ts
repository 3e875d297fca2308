import type { FastifyInstance } from 'fastify';
import { graphCalls } from '../graph/graph-calls.ts';
import { GraphError, invalidParameter } from '../graph/graph-errors.ts';
import { queryParameter, tokenOf } from '../graph/graph-request.ts';
import type { Platform } from '../platform.ts';
import { parametersOf, requiredText } from './parameters.ts';

const ACTIONS = ['connect', 'pre_accept', 'accept', 'reject', 'terminate'];

/** Registers calls, call permissions and the control of conversations. */
export function registerCallRoutes(app: FastifyInstance, platform: Platform): void {
  const { world, edges, ids } = platform;
  const graph = graphCalls(app, platform);
  const options = { endpoint: 'numbers' } as const;

  graph('POST', '/:id/calls', options, (request, id) => {
    world.visibleNumber(id, tokenOf(request));
    const parameters = parametersOf(request);
    const action = requiredText(parameters, 'action');
    if (!ACTIONS.includes(action)) throw invalidParameter('Param action is not valid.');
    if (action === 'connect') {
      const callId = `wacid.${ids.opaque(15)}`;
      edges.documentOf(id, 'calls')[callId] = requiredText(parameters, 'to');
      return { messaging_product: 'whatsapp', calls: [{ id: callId }] };
    }
    const callId = requiredText(parameters, 'call_id');
    if (edges.documentOf(id, 'calls')[callId] === undefined) {
      throw new GraphError(138000, { message: '(#138000) Calling is not possible: there is no such call' });
    }
    if (action === 'reject' || action === 'terminate') delete edges.documentOf(id, 'calls')[callId];
    return { messaging_product: 'whatsapp', success: true };
  });

  graph('GET', '/:id/call_permissions', options, (request, id) => {
    world.visibleNumber(id, tokenOf(request), 'get');
    const user = queryParameter(request, 'user_wa_id') ?? queryParameter(request, 'recipient');
    if (user === undefined) throw invalidParameter('The parameter user_wa_id is required.');
    const actions = [{ action_name: 'start_call', can_perform_action: false, limits: [] }];
    return { messaging_product: 'whatsapp', permission: { status: 'no_permission' }, actions };
  });

  graph('POST', '/:id/thread_control', options, (request, id) => {
    world.visibleNumber(id, tokenOf(request));
    const action = requiredText(parametersOf(request), 'action');
    if (!['pass', 'release', 'take'].includes(action)) throw invalidParameter('Param action is not valid.');
    return { success: true };
  });
}
