import type { FastifyInstance } from 'fastify';
import { type Query, readInteger, readJsonBody, readMatching } from '../http/index.ts';
import { getOrganization } from '../organizations/index.ts';
import { type ConnectDeps, type ConnectedWaba, connectWaba } from './connect/connect-waba.ts';
import { type DisconnectDeps, disconnectWaba } from './connect/disconnect-waba.ts';
import { syncWaba } from './connect/sync-waba.ts';
import { type ListedNumber, listWabas, type NumberIdentity } from './list-queries.ts';
import { listWabasSchema, WABAS_PER_PAGE_MAX } from './list-schemas.ts';
import type { MarketingUse } from './marketing/marketing-queries.ts';
import { patchNumber } from './patch-number.ts';
import { patchWaba } from './patch-waba.ts';
import {
  connectBody,
  connectWabaSchema,
  disconnectWabaSchema,
  numberPatchBody,
  patchNumberSchema,
  patchWabaSchema,
  syncWabaSchema,
  wabaPatchBody,
} from './schemas.ts';
import type { SendingNumber } from './sending-number.ts';

/** Registers the routes of business accounts and numbers under `/admin/v1`. */
export function accountRoutes(app: FastifyInstance, deps: ConnectDeps & DisconnectDeps): void {
  app.post<{ Params: { org_id: string } }>(
    '/admin/v1/organizations/:org_id/wabas',
    { schema: connectWabaSchema },
    async (request, reply) => {
      const { waba_id, access_token, app_id } = readJsonBody(request, connectBody);
      const input = { wabaId: waba_id, accessToken: access_token, appId: app_id };
      return reply
        .code(201)
        .send(renderWaba(await connectWaba(deps, request.params.org_id, input), deps.apps.defaultAppId));
    },
  );

  app.get<{ Params: { org_id: string }; Querystring: Query }>(
    '/admin/v1/organizations/:org_id/wabas',
    { schema: listWabasSchema },
    async ({ params, query }) => {
      const limit = readInteger(query, 'limit', { min: 1, max: WABAS_PER_PAGE_MAX, fallback: WABAS_PER_PAGE_MAX });
      const after = readMatching(query, 'after', /^[^\0]{1,64}$/, 'the "next" of an earlier answer');
      const organization = await getOrganization(deps, params.org_id);
      const wabas = await listWabas(deps.db, organization.id, after, limit);
      return {
        data: wabas.map(({ appId, webhooksSubscribed, numbers, ...use }) => ({
          waba_id: use.wabaId,
          app_id: appId ?? deps.apps.defaultAppId,
          webhooks_subscribed: webhooksSubscribed,
          marketing_messages: renderMarketing(use),
          numbers: numbers.map(renderListed),
        })),
        next: wabas.length < limit ? null : (wabas.at(-1)?.wabaId ?? null),
      };
    },
  );

  app.post<{ Params: { waba_id: string } }>(
    '/admin/v1/wabas/:waba_id/sync',
    { schema: syncWabaSchema },
    async (request) => renderWaba(await syncWaba(deps, request.params.waba_id), deps.apps.defaultAppId),
  );

  app.patch<{ Params: { waba_id: string } }>(
    '/admin/v1/wabas/:waba_id',
    { schema: patchWabaSchema },
    async (request) => {
      const { marketing_messages, app_id } = readJsonBody(request, wabaPatchBody);
      const change = { setting: marketing_messages, appId: app_id };
      const { appId, ...use } = await patchWaba(deps, request.params.waba_id, change);
      return {
        waba_id: use.wabaId,
        app_id: appId ?? deps.apps.defaultAppId,
        marketing_messages: renderMarketing(use),
      };
    },
  );

  app.delete<{ Params: { waba_id: string } }>(
    '/admin/v1/wabas/:waba_id',
    { schema: disconnectWabaSchema },
    async (request, reply) => {
      await disconnectWaba(deps, request.params.waba_id);
      return reply.code(204).send();
    },
  );

  app.patch<{ Params: { phone_number_id: string } }>(
    '/admin/v1/numbers/:phone_number_id',
    { schema: patchNumberSchema },
    async (request) => {
      const { messages_per_second, paused } = readJsonBody(request, numberPatchBody);
      const patch = { messagesPerSecond: messages_per_second, paused };
      return renderNumber(await patchNumber(deps, request.params.phone_number_id, patch));
    },
  );
}

function renderWaba(waba: ConnectedWaba, defaultAppId: string | null) {
  return {
    waba_id: waba.wabaId,
    app_id: waba.appId ?? defaultAppId,
    webhooks_subscribed: waba.webhooksSubscribed,
    numbers: waba.numbers.map(renderIdentity),
    templates: waba.templates,
  };
}

function renderMarketing({ setting, inForce, onboarding }: MarketingUse) {
  return { setting, in_force: inForce, onboarding_status: onboarding };
}

function renderIdentity(number: NumberIdentity) {
  return {
    account_id: number.accountId,
    phone_number_id: number.phoneNumberId,
    phone_number: number.phoneNumber,
    registered: number.registered,
    webhook_override: number.webhookOverride,
  };
}

function renderListed(number: ListedNumber) {
  return { ...renderIdentity(number), paused: number.paused, parked: number.parked };
}

function renderNumber(number: SendingNumber) {
  return {
    ...renderListed(number),
    organization_id: number.organizationId,
    waba_id: number.wabaId,
    verified_name: number.verifiedName,
    status: number.status,
    quality_rating: number.qualityRating,
    messages_per_second: number.messagesPerSecond,
  };
}
