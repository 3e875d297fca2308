import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findAppByToken, type SimulatedApp } from '../apps.ts';
import type { Platform } from '../platform.ts';
import { verifyCallback } from '../webhooks/verify-callback.ts';
import { graphCalls } from './graph-calls.ts';
import { GraphError, invalidParameter, unknownObject } from './graph-errors.ts';
import { jsonBody, tokenOf } from './graph-request.ts';
import { asString } from './json-object.ts';

const OBJECT = 'whatsapp_business_account';

/** Registers the app's own webhook subscription: its address and its fields. Only the app's token may read or change it. */
export function registerAppRoutes(app: FastifyInstance, platform: Platform): void {
  const graph = graphCalls(app, platform);
  graph('GET', '/:id/subscriptions', { endpoint: 'accounts' }, (request, id) => {
    const own = requireApp(platform, request, id);
    if (own.webhookUrl === null) return { data: [] };
    const fields = (own.fields ?? DEFAULT_FIELDS).map((name) => ({ name, version: 'v24.0' }));
    return { data: [{ object: OBJECT, callback_url: own.webhookUrl, active: own.isActive, fields }] };
  });

  graph('POST', '/:id/subscriptions', { endpoint: 'accounts' }, async (request, id) => {
    const own = requireApp(platform, request, id);
    const { object, callback_url, verify_token, fields } = jsonBody(request);
    const [callbackUrl, verifyToken] = [asString(callback_url), asString(verify_token)];
    if (object !== OBJECT || callbackUrl === undefined || verifyToken === undefined || !Array.isArray(fields)) {
      throw invalidParameter('object, callback_url, verify_token and fields are required.');
    }
    if (!(await verifyCallback(verifyToken, callbackUrl).catch(() => false))) {
      throw new GraphError(100, { message: 'The URL could not be validated. Callback verification failed.' });
    }
    own.webhookUrl = callbackUrl;
    own.fields = fields.map(String);
    own.isActive = true;
    return { success: true };
  });
}

/** Fields that an app is subscribed to while none are set. */
const DEFAULT_FIELDS = [
  'messages',
  'account_alerts',
  'account_review_update',
  'account_update',
  'business_capability_update',
  'calls',
  'history',
  'message_template_components_update',
  'message_template_quality_update',
  'message_template_status_update',
  'messaging_handovers',
  'phone_number_name_update',
  'phone_number_quality_update',
  'security',
  'smb_message_echoes',
  'standby',
  'template_category_update',
  'user_preferences',
];

function requireApp(platform: Platform, request: FastifyRequest, id: string): SimulatedApp {
  const app = findAppByToken(platform, tokenOf(request));
  if (app === undefined) throw new GraphError(190);
  if (id !== app.id) throw unknownObject(id, request.method.toLowerCase());
  return app;
}
