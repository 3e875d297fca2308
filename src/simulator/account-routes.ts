import type { FastifyInstance, FastifyRequest } from 'fastify';
import { GraphError, unknownObject } from './graph-errors.ts';
import { numberNode, templateNode, wabaNode } from './graph-nodes.ts';
import { answerGraphCall, jsonBody, pathParameter, queryParameter, requireToken, tokenOf } from './graph-request.ts';
import { asString, type JsonObject } from './json-object.ts';
import { mediaNode } from './media-node.ts';
import { pageOf } from './paging.ts';
import { type Platform, webhookUrlOf } from './platform.ts';
import { readBackComponents } from './template-samples.ts';
import { usageHeaders } from './usage-headers.ts';

/** Nodes by id, phone numbers of an account, webhook subscriptions, tokens. */
export function registerAccountRoutes(app: FastifyInstance, platform: Platform): void {
  const { world } = platform;

  app.get('/:id', { config: { simulatedEndpoint: 'numbers' } }, (request, reply) => {
    const id = pathParameter(request);
    return answerGraphCall(platform, request, reply, () => findNode(platform, request, id));
  });

  app.get('/:id/phone_numbers', { config: { simulatedEndpoint: 'numbers' } }, (request, reply) => {
    const id = pathParameter(request);
    reply.headers(usageHeaders(platform, id));
    return answerGraphCall(platform, request, reply, () => {
      const waba = world.visibleWaba(id, tokenOf(request), 'get');
      const show = (number: Parameters<typeof numberNode>[0]) =>
        numberNode(number, webhookUrlOf(platform, waba), queryParameter(request, 'fields'));
      return pageOf(world.listNumbers(waba.id), request, show);
    });
  });

  app.post('/:id/subscribed_apps', { config: { simulatedEndpoint: 'accounts' } }, (request, reply) => {
    const id = pathParameter(request);
    reply.headers(usageHeaders(platform, id));
    return answerGraphCall(platform, request, reply, () => {
      const waba = world.visibleWaba(id, tokenOf(request));
      waba.subscribed = true;
      waba.overrideCallbackUri = asString(jsonBody(request).override_callback_uri) ?? null;
      return { success: true };
    });
  });

  app.get('/:id/subscribed_apps', { config: { simulatedEndpoint: 'accounts' } }, (request, reply) => {
    const id = pathParameter(request);
    return answerGraphCall(platform, request, reply, () => {
      const waba = world.visibleWaba(id, tokenOf(request), 'get');
      const subscription = {
        whatsapp_business_api_data: { id: platform.app.id, name: 'Simulated app', link: `${platform.origin}/app` },
        ...(waba.overrideCallbackUri === null ? {} : { override_callback_uri: waba.overrideCallbackUri }),
      };
      return { data: waba.subscribed ? [subscription] : [] };
    });
  });

  app.delete('/:id/subscribed_apps', { config: { simulatedEndpoint: 'accounts' } }, (request, reply) => {
    const id = pathParameter(request);
    return answerGraphCall(platform, request, reply, () => {
      const waba = world.visibleWaba(id, tokenOf(request), 'delete');
      waba.subscribed = false;
      waba.overrideCallbackUri = null;
      return { success: true };
    });
  });

  for (const [path, platformType] of [
    ['/:id/register', 'CLOUD_API'],
    ['/:id/deregister', 'NOT_APPLICABLE'],
  ] as const) {
    app.post(path, { config: { simulatedEndpoint: 'numbers' } }, (request, reply) => {
      const id = pathParameter(request);
      return answerGraphCall(platform, request, reply, () => {
        const number = world.visibleNumber(id, tokenOf(request));
        number.platformType = platformType;
        number.status = platformType === 'CLOUD_API' ? 'CONNECTED' : 'DISCONNECTED';
        return { success: true };
      });
    });
  }

  app.get('/debug_token', { config: { simulatedEndpoint: 'accounts' } }, (request, reply) =>
    answerGraphCall(platform, request, reply, () => describeToken(platform, request)),
  );

  app.get('/app', { config: { simulatedEndpoint: 'accounts' } }, (request, reply) =>
    answerGraphCall(platform, request, reply, () => {
      requireToken(platform, request);
      return { name: 'Simulated app', id: platform.app.id };
    }),
  );
}

function findNode(platform: Platform, request: FastifyRequest, id: string): JsonObject {
  const { world } = platform;
  const token = requireToken(platform, request);
  const fields = queryParameter(request, 'fields');
  const number = world.findNumber(id);
  if (number !== undefined) {
    const waba = world.visibleWaba(world.visibleNumber(id, token, 'get').wabaId, token, 'get');
    return numberNode(number, webhookUrlOf(platform, waba), fields);
  }
  if (world.findWaba(id) !== undefined) return wabaNode(world.visibleWaba(id, token, 'get'), fields);
  if (world.findTemplate(id) !== undefined) {
    const template = world.visibleTemplate(id, token, 'get');
    return templateNode(template, readBackComponents(platform, template), fields);
  }
  const item = platform.media.find(id);
  if (item === undefined) throw unknownObject(id, 'get');
  world.visibleNumber(item.phoneNumberId, token, 'get');
  const asked = queryParameter(request, 'phone_number_id');
  if (asked !== undefined && asked !== item.phoneNumberId) throw unknownObject(id, 'get');
  return mediaNode(platform, item);
}

function describeToken(platform: Platform, request: FastifyRequest): JsonObject {
  const caller = tokenOf(request);
  const isApp = caller === `${platform.app.id}|${platform.app.secret}`;
  if (!isApp && !platform.world.isToken(caller)) throw new GraphError(190);
  const inspected = queryParameter(request, 'input_token') ?? '';
  const wabaIds = platform.world
    .listWabas()
    .filter((waba) => waba.accessToken === inspected)
    .map((waba) => waba.id);
  if (wabaIds.length === 0) return { data: { is_valid: false, scopes: [] } };
  const scopes = ['whatsapp_business_management', 'whatsapp_business_messaging'];
  return {
    data: {
      app_id: platform.app.id,
      type: 'SYSTEM_USER',
      application: 'Simulated app',
      is_valid: true,
      expires_at: 0,
      scopes,
      granular_scopes: scopes.map((scope) => ({ scope, target_ids: wabaIds })),
      user_id: '100000000000001',
    },
  };
}
