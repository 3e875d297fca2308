import type { FastifyInstance, FastifyRequest } from 'fastify';
import { graphCalls } from '../graph/graph-calls.ts';
import { unknownObject } from '../graph/graph-errors.ts';
import { selectFields } from '../graph/graph-nodes.ts';
import { queryParameter, tokenOf } from '../graph/graph-request.ts';
import { asObjects, asString, type JsonObject } from '../graph/json-object.ts';
import { pageOf } from '../graph/paging.ts';
import { announce, type Platform } from '../platform.ts';
import type { Group } from './edge-store.ts';
import { parametersOf, requiredText } from './parameters.ts';

const DEFAULTS = ['subject', 'messaging_product'];

/** Registers groups: list, create, invitation links, people. Reads, changes and deletions of one group are calls of nodes. */
export function registerGroupRoutes(app: FastifyInstance, platform: Platform): void {
  const { world, edges, ids } = platform;
  const graph = graphCalls(app, platform);
  const options = { endpoint: 'numbers', isManagement: true } as const;

  graph('GET', '/:id/groups', options, (request, id) => {
    world.visibleNumber(id, tokenOf(request), 'get');
    const groups = [...edges.groups.values()].filter((group) => group.phoneNumberId === id);
    const { data, ...rest } = pageOf(groups, request, (group) => ({ id: group.id, subject: group.subject }));
    return { data: { groups: data }, ...rest };
  });

  graph('POST', '/:id/groups', options, (request, id) => {
    const number = world.visibleNumber(id, tokenOf(request));
    const parameters = parametersOf(request);
    const group: Group = {
      id: Buffer.from(`capi_group:${number.id}:${ids.objectId()}`).toString('base64url'),
      phoneNumberId: number.id,
      subject: requiredText(parameters, 'subject'),
      description: asString(parameters.description) ?? '',
      participants: new Set(),
      joinRequests: new Map(),
      inviteCode: ids.opaque(9),
    };
    edges.groups.set(group.id, group);
    const requestId = ids.opaque(12);
    announceGroup(platform, group, 'group_create', requestId);
    return { messaging_product: 'whatsapp', request_id: requestId };
  });

  for (const method of ['GET', 'POST'] as const) {
    graph(method, '/:id/invite_link', options, (request, id) => {
      const group = visibleGroup(platform, id, tokenOf(request), method.toLowerCase());
      if (method === 'POST') group.inviteCode = ids.opaque(9);
      return { messaging_product: 'whatsapp', invite_link: `https://chat.whatsapp.com/${group.inviteCode}` };
    });
  }

  graph('DELETE', '/:id/participants', options, (request, id) => {
    const group = visibleGroup(platform, id, tokenOf(request), 'delete');
    for (const { user } of asObjects(parametersOf(request).participants)) {
      group.participants.delete(String(user).replace(/\D/g, ''));
    }
    return { messaging_product: 'whatsapp', request_id: ids.opaque(12) };
  });

  graph('GET', '/:id/join_requests', options, (request, id) => {
    const group = visibleGroup(platform, id, tokenOf(request), 'get');
    const waiting = [...group.joinRequests].map(([requestId, waId]) => ({ id: requestId, waId }));
    return pageOf(waiting, request, ({ id: join_request_id, waId }) => ({ join_request_id, wa_id: waId }));
  });
  for (const [method, member] of [
    ['POST', 'approved_join_requests'],
    ['DELETE', 'rejected_join_requests'],
  ] as const) {
    graph(method, '/:id/join_requests', options, (request, id) => {
      const group = visibleGroup(platform, id, tokenOf(request), method.toLowerCase());
      const { join_requests: wanted } = parametersOf(request);
      const settled = (Array.isArray(wanted) ? wanted.map(String) : []).filter((one) => group.joinRequests.has(one));
      for (const one of settled) {
        if (method === 'POST') group.participants.add(group.joinRequests.get(one) ?? '');
        group.joinRequests.delete(one);
      }
      return { messaging_product: 'whatsapp', [member]: settled };
    });
  }
}

/** Reads, changes or deletes a group by its id; undefined if the id names no group. */
export function groupCall(platform: Platform, request: FastifyRequest, id: string): JsonObject | undefined {
  if (!platform.edges.groups.has(id)) return undefined;
  const group = visibleGroup(platform, id, tokenOf(request), request.method.toLowerCase());
  if (request.method === 'GET') {
    const { subject, description, participants } = group;
    const node = {
      messaging_product: 'whatsapp',
      subject,
      description,
      total_participant_count: participants.size,
      participants: [...participants].map((wa_id) => ({ wa_id })),
      id,
    };
    return selectFields(node, DEFAULTS, queryParameter(request, 'fields'));
  }
  const requestId = platform.ids.opaque(12);
  if (request.method === 'DELETE') {
    platform.edges.groups.delete(id);
    announceGroup(platform, group, 'group_delete', requestId);
  } else {
    const { subject, description } = parametersOf(request);
    group.subject = asString(subject) ?? group.subject;
    group.description = asString(description) ?? group.description;
  }
  return { messaging_product: 'whatsapp', request_id: requestId };
}

function visibleGroup({ edges, world }: Platform, id: string, token: string, method?: string): Group {
  const group = edges.groups.get(id);
  if (group === undefined) throw unknownObject(id, method);
  world.visibleNumber(group.phoneNumberId, token, method);
  return group;
}

function announceGroup(platform: Platform, group: Group, type: string, requestId: string): void {
  const number = platform.world.getNumber(group.phoneNumberId);
  announce(platform, {
    wabaId: number.wabaId,
    field: 'group_lifecycle_update',
    value: {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: number.displayPhoneNumber.replace(/\D/g, ''), phone_number_id: number.id },
      groups: [
        {
          timestamp: String(Math.floor(platform.clock.now() / 1000)),
          group_id: group.id,
          type,
          request_id: requestId,
          subject: group.subject,
        },
      ],
    },
    time: platform.clock.now(),
  });
}
