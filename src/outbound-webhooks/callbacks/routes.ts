import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Accounts, wabaNotFound } from '../../accounts/index.ts';
import { AppError, invalid } from '../../core/errors.ts';
import { type ApiKeys, callerOf, keyOf, type Query } from '../../http/index.ts';
import { getAppToken } from './app-token.ts';
import type { CallbackPlace } from './callback.ts';
import { DEFAULT_FIELDS } from './callback-fields.ts';
import { listCallbacks } from './callback-queries.ts';
import {
  endSubscribedAppSchema,
  endSubscriptionSchema,
  listSubscribedAppsSchema,
  listSubscriptionsSchema,
  subscribeAppSchema,
  subscribeSchema,
} from './callback-schemas.ts';
import { changeNumberCallback } from './number-callback.ts';
import { needWord, type ParameterSource, readFieldNames, readParameters, readWord } from './read-parameters.ts';
import { type CallbackDeps, endCallback, registerCallback, subscribeAccount } from './register-callback.ts';

export interface CallbackRouteDeps extends CallbackDeps {
  accounts: Pick<Accounts, 'findNumber' | 'findWaba'>;
  keyring: Pick<ApiKeys, 'authenticate'>;
}

const TOKEN_BYTES_MAX = 16 * 1024;
const OBJECT = 'whatsapp_business_account';
/** Version of the webhook fields, which all of the platform's webhooks have here. */
const FIELD_VERSION = 'v24.0';
/** Id of the gateway where the platform shows the id of an app, for a client that has named none. */
const NO_APP = '0';

/**
 * Registers the calls with which clients of the Cloud API register their webhooks (api-rules#registered-webhooks). They concern endpoints of
 * the caller's organization alone: nothing is passed on, and the webhooks of the gateway stay as they are.
 */
export function callbackRoutes(app: FastifyInstance, deps: CallbackRouteDeps): void {
  app.get('/v1/:appId/subscriptions', { schema: listSubscriptionsSchema }, async (request) => {
    const { organizationId, objectId } = appOf(request);
    const callbacks = await listCallbacks(deps.db, organizationId, ['app']);
    const own = callbacks.filter((callback) => callback.objectId === objectId);
    return {
      data: own.map(({ url, fields }) => ({
        object: OBJECT,
        callback_url: url,
        active: true,
        fields: (fields ?? []).map((name) => ({ name, version: FIELD_VERSION })),
      })),
    };
  });

  app.post('/v1/:appId/subscriptions', { schema: subscribeSchema }, async (request) => {
    const { organizationId, objectId } = appOf(request);
    const parameters = readParameters(sourceOf(request));
    checkObject(needWord(parameters, 'object'));
    await registerCallback(
      deps,
      organizationId,
      { kind: 'app', objectId },
      {
        url: needWord(parameters, 'callback_url'),
        verifyToken: readWord(parameters, 'verify_token') ?? '',
        fields: readFieldNames(parameters) ?? DEFAULT_FIELDS,
        apiKey: keyOf(request),
      },
    );
    return { success: true };
  });

  app.delete('/v1/:appId/subscriptions', { schema: endSubscriptionSchema }, async (request) => {
    const { organizationId, objectId } = appOf(request);
    const parameters = readParameters(sourceOf(request));
    const object = readWord(parameters, 'object');
    if (object !== undefined) checkObject(object);
    await endCallback(deps, organizationId, { kind: 'app', objectId }, readFieldNames(parameters));
    return { success: true };
  });

  app.get('/v1/:wabaId/subscribed_apps', { schema: listSubscribedAppsSchema }, async (request) => {
    const { organizationId, objectId } = await accountOf(deps, request);
    const callbacks = await listCallbacks(deps.db, organizationId, ['app', 'account']);
    const subscribed = callbacks.find((callback) => callback.kind === 'account' && callback.objectId === objectId);
    if (subscribed === undefined) return { data: [] };
    const apps = callbacks.filter(({ kind }) => kind === 'app').map((callback) => callback.objectId);
    return {
      data: (apps.length > 0 ? apps : [NO_APP]).map((id) => ({
        whatsapp_business_api_data: { id, name: 'Fairway', link: 'https://www.whatsapp.com/' },
        ...(subscribed.url !== null && { override_callback_uri: subscribed.url }),
      })),
    };
  });

  app.post('/v1/:wabaId/subscribed_apps', { schema: subscribeAppSchema }, async (request) => {
    const { organizationId, ...place } = await accountOf(deps, request);
    const parameters = readParameters(sourceOf(request));
    const url = readWord(parameters, 'override_callback_uri');
    if (url === undefined) await subscribeAccount(deps, organizationId, place.objectId);
    else {
      const verifyToken = readWord(parameters, 'verify_token') ?? '';
      const registration = { url, verifyToken, fields: null, apiKey: keyOf(request) };
      await registerCallback(deps, organizationId, place, registration);
    }
    return { success: true };
  });

  app.delete('/v1/:wabaId/subscribed_apps', { schema: endSubscribedAppSchema }, async (request) => {
    const { organizationId, ...place } = await accountOf(deps, request);
    await endCallback(deps, organizationId, place);
    return { success: true };
  });
}

/** Registers the call with which clients get the token of their app before they register webhooks. */
export function appTokenRoutes(app: FastifyInstance, deps: Pick<CallbackRouteDeps, 'keyring'>): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const token = await getAppToken(deps, readParameters(sourceOf(request)));
    return reply.header('cache-control', 'no-store').send({ access_token: token, token_type: 'bearer' });
  };
  const options = { schema: { hide: true }, bodyLimit: TOKEN_BYTES_MAX };
  app.get('/v1/oauth/access_token', { ...options, exposeHeadRoute: false }, handler);
  app.post('/v1/oauth/access_token', options, handler);
}

/** Returns the function with which the route of a node changes the address of a number; it returns false for any other request. */
export function numberCallbackChanger(deps: CallbackRouteDeps) {
  return (request: FastifyRequest, id: string): Promise<boolean> =>
    changeNumberCallback(deps, { ...sourceOf(request), caller: callerOf(request), apiKey: keyOf(request) }, id);
}

function sourceOf({ query, headers, body }: FastifyRequest): ParameterSource {
  return { query: query as Query, headers, body: (body as Buffer | undefined) ?? Buffer.alloc(0) };
}

/** Returns the app that a path names: any id in digits is an app of the caller's organization. Raises NOT_FOUND. */
function appOf(request: FastifyRequest): { organizationId: string; objectId: string } {
  const { appId = '' } = request.params as { appId?: string };
  if (!/^\d{1,20}$/.test(appId)) throw new AppError('NOT_FOUND', 'The id of an app has digits only.');
  return { organizationId: callerOf(request).organizationId, objectId: appId };
}

async function accountOf(
  { accounts }: CallbackRouteDeps,
  request: FastifyRequest,
): Promise<CallbackPlace & { organizationId: string }> {
  const { organizationId } = callerOf(request);
  const { wabaId = '' } = request.params as { wabaId?: string };
  if ((await accounts.findWaba(organizationId, wabaId)) === undefined) throw wabaNotFound();
  return { organizationId, kind: 'account', objectId: wabaId };
}

function checkObject(object: string): void {
  if (object !== OBJECT) throw invalid(`"object" must be "${OBJECT}": the gateway has no other webhooks.`);
}
