import type { FastifyInstance, FastifyRequest } from 'fastify';
import { graphCalls } from '../graph/graph-calls.ts';
import { unknownObject } from '../graph/graph-errors.ts';
import { tokenOf } from '../graph/graph-request.ts';
import { asObjects, asString, type JsonObject } from '../graph/json-object.ts';
import { pageOf } from '../graph/paging.ts';
import type { Platform } from '../platform.ts';
import type { QrCode } from './edge-store.ts';
import { parametersOf, requiredText } from './parameters.ts';

/** Registers the block list and the QR codes of numbers. */
export function registerContactRoutes(app: FastifyInstance, platform: Platform): void {
  const { world, edges } = platform;
  const graph = graphCalls(app, platform);
  const options = { endpoint: 'numbers', isManagement: true } as const;

  graph('GET', '/:id/block_users', options, (request, id) => {
    world.visibleNumber(id, tokenOf(request), 'get');
    const blocked = [...edges.blockedBy(id)].map((user) => ({ id: user }));
    return pageOf(blocked, request, ({ id: wa_id }) => ({ messaging_product: 'whatsapp', wa_id }));
  });
  for (const [method, member] of [
    ['POST', 'added_users'],
    ['DELETE', 'removed_users'],
  ] as const) {
    graph(method, '/:id/block_users', options, (request, id) => {
      world.visibleNumber(id, tokenOf(request), method.toLowerCase());
      const users = usersOf(request);
      const list = edges.blockedBy(id);
      for (const { wa_id } of users) method === 'POST' ? list.add(wa_id) : list.delete(wa_id);
      return { messaging_product: 'whatsapp', block_users: { [member]: users } };
    });
  }

  graph('GET', '/:id/message_qrdls', options, (request, id) => {
    world.visibleNumber(id, tokenOf(request), 'get');
    return pageOf([...edges.qrCodesOf(id).values()], request, showQrCode);
  });
  const saveQrCode = (request: FastifyRequest, id: string, named: string | undefined) => {
    world.visibleNumber(id, tokenOf(request));
    const parameters = parametersOf(request);
    const codes = edges.qrCodesOf(id);
    const known = named ?? asString(parameters.code);
    if (known !== undefined && !codes.has(known)) throw unknownObject(known);
    const code =
      known ??
      platform.ids
        .opaque(8)
        .replace(/[^0-9A-Za-z]/g, '0')
        .toUpperCase();
    const qrCode = {
      id: code,
      code,
      prefilledMessage: requiredText(parameters, 'prefilled_message'),
      hasImage: codes.get(code)?.hasImage ?? parameters.generate_qr_image !== undefined,
    };
    codes.set(code, qrCode);
    return showQrCode(qrCode);
  };
  graph('POST', '/:id/message_qrdls', options, (request, id) => saveQrCode(request, id, undefined));
  graph('POST', '/:id/message_qrdls/:code', options, (request, id) =>
    saveQrCode(request, id, (request.params as { code: string }).code),
  );
  for (const method of ['GET', 'DELETE'] as const) {
    graph(method, '/:id/message_qrdls/:code', options, (request, id) => {
      world.visibleNumber(id, tokenOf(request), method.toLowerCase());
      const { code } = request.params as { code: string };
      const qrCode = edges.qrCodesOf(id).get(code);
      if (qrCode === undefined) throw unknownObject(code, method.toLowerCase());
      if (method === 'GET') return { data: [showQrCode(qrCode)] };
      edges.qrCodesOf(id).delete(code);
      return { success: true };
    });
  }
}

function usersOf(request: FastifyRequest): { input: string; wa_id: string }[] {
  return asObjects(parametersOf(request).block_users).map(({ user }) => {
    const input = String(user);
    return { input, wa_id: input.replace(/\D/g, '') };
  });
}

function showQrCode({ id: _, code, prefilledMessage, hasImage }: QrCode): JsonObject {
  return {
    code,
    prefilled_message: prefilledMessage,
    deep_link_url: `https://wa.me/message/${code}`,
    ...(hasImage && { qr_image_url: `https://scontent.example.net/${code}.png` }),
  };
}
