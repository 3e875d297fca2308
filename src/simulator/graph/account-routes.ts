import type { FastifyInstance, FastifyRequest } from 'fastify';
import { appOfToken, appOfWaba, findAppByToken } from '../apps.ts';
import { nodeCall } from '../edges/node-call.ts';
import { mediaNode } from '../media/media-node.ts';
import type { Platform } from '../platform.ts';
import type { PhoneNumber, Waba } from '../records.ts';
import { readBackComponents } from '../templates/template-samples.ts';
import { graphCalls } from './graph-calls.ts';
import { GraphError, unknownObject } from './graph-errors.ts';
import { numberNode, templateNode, wabaNode } from './graph-nodes.ts';
import { jsonBody, queryParameter, requireToken, tokenOf } from './graph-request.ts';
import { asString, type JsonObject } from './json-object.ts';
import { pageOf } from './paging.ts';

/** Registers nodes by id, phone numbers of an account, webhook subscriptions and tokens. */
export function registerAccountRoutes(app: FastifyInstance, platform: Platform): void {
  const { world } = platform;
  const graph = graphCalls(app, platform);

  graph('GET', '/:id', { endpoint: 'numbers' }, (request, id) => findNode(platform, request, id));

  graph('GET', '/:id/phone_numbers', { endpoint: 'numbers', isManagement: true }, (request, id) => {
    const waba = world.visibleWaba(id, tokenOf(request), 'get');
    const show = (number: PhoneNumber) =>
      numberNode(number, addressesOf(platform, waba), queryParameter(request, 'fields'));
    return pageOf(world.listNumbers(waba.id), request, show);
  });

  graph('POST', '/:id/subscribed_apps', { endpoint: 'accounts', isManagement: true }, (request, id) => {
    const waba = world.visibleWaba(id, tokenOf(request));
    waba.subscribed = true;
    waba.overrideCallbackUri = asString(jsonBody(request).override_callback_uri) ?? null;
    return { success: true };
  });

  graph('GET', '/:id/subscribed_apps', { endpoint: 'accounts' }, (request, id) => {
    const waba = world.visibleWaba(id, tokenOf(request), 'get');
    const subscription = {
      whatsapp_business_api_data: {
        id: appOfWaba(platform, waba).id,
        name: 'Simulated app',
        link: `${platform.origin}/app`,
      },
      ...(waba.overrideCallbackUri === null ? {} : { override_callback_uri: waba.overrideCallbackUri }),
    };
    return { data: waba.subscribed ? [subscription] : [] };
  });

  graph('DELETE', '/:id/subscribed_apps', { endpoint: 'accounts' }, (request, id) => {
    const waba = world.visibleWaba(id, tokenOf(request), 'delete');
    waba.subscribed = false;
    waba.overrideCallbackUri = null;
    return { success: true };
  });

  graph('GET', '/debug_token', { endpoint: 'accounts' }, (request) => describeToken(platform, request));

  graph('GET', '/app', { endpoint: 'accounts' }, (request) => {
    return { name: 'Simulated app', id: appOfToken(platform, requireToken(platform, request)).id };
  });
}

/** Returns the webhook addresses that a number has from its account and the app. */
function addressesOf(platform: Platform, waba: Waba) {
  const app = waba.subscribed ? appOfWaba(platform, waba).webhookUrl : null;
  return { businessAccount: waba.overrideCallbackUri, app };
}

function findNode(platform: Platform, request: FastifyRequest, id: string): JsonObject {
  const { world } = platform;
  const token = requireToken(platform, request);
  const fields = queryParameter(request, 'fields');
  const number = world.findNumber(id);
  if (number !== undefined) {
    const waba = world.visibleWaba(world.visibleNumber(id, token, 'get').wabaId, token, 'get');
    return numberNode(number, addressesOf(platform, waba), fields);
  }
  if (world.findWaba(id) !== undefined) return wabaNode(world.visibleWaba(id, token, 'get'), fields);
  if (world.findTemplate(id) !== undefined) {
    const template = world.visibleTemplate(id, token, 'get');
    return templateNode(template, readBackComponents(platform, template), fields);
  }
  const other = nodeCall(platform, request, id);
  if (other !== undefined) return other;
  const item = platform.media.find(id);
  if (item === undefined) throw unknownObject(id, 'get');
  world.visibleNumber(item.phoneNumberId, token, 'get');
  const asked = queryParameter(request, 'phone_number_id');
  if (asked !== undefined && asked !== item.phoneNumberId) throw unknownObject(id, 'get');
  return mediaNode(platform, item);
}

function describeToken(platform: Platform, request: FastifyRequest): JsonObject {
  const caller = tokenOf(request);
  const callingApp = findAppByToken(platform, caller);
  if (callingApp === undefined && !platform.world.isToken(caller)) throw new GraphError(190);
  const inspected = queryParameter(request, 'input_token') ?? '';
  const wabaIds = platform.world
    .listWabas()
    .filter((waba) => waba.accessToken === inspected)
    .map((waba) => waba.id);
  if (wabaIds.length === 0) return { data: { is_valid: false, scopes: [] } };
  const app = appOfToken(platform, inspected);
  if (callingApp !== undefined && callingApp.id !== app.id) {
    throw new GraphError(100, { message: 'The App_id in the input_token did not match the Viewing App' });
  }
  const scopes = ['whatsapp_business_management', 'whatsapp_business_messaging'];
  return {
    data: {
      app_id: app.id,
      type: 'SYSTEM_USER',
      application: 'Simulated app',
      is_valid: true,
      expires_at: 0,
      scopes,
      granular_scopes: scopes.map((scope) => ({ scope, target_ids: wabaIds })),
      user_id: '100000000000001',
      ...platform.world.findWaba(wabaIds[0] ?? '')?.tokenFacts,
    },
  };
}
