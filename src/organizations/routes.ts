import type { FastifyInstance } from 'fastify';
import { invalid } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../database/database.ts';
import { type Query, readInteger, readJsonBody, readList, readOptionalJsonBody, readText } from '../http/index.ts';
import { changeOrganization } from './change-organization.ts';
import { createOrganization } from './create-organization.ts';
import { getOrganization } from './get-organization.ts';
import { createApiKey } from './keys/create-api-key.ts';
import { disableApiKey } from './keys/disable-api-key.ts';
import {
  readOrganizationChange,
  readPlanChange,
  renderApiKey,
  renderListedApiKey,
  renderOrganization,
  renderPlan,
  renderUsage,
} from './organization-view.ts';
import { getPlan } from './plans/get-plan.ts';
import { getPlanSchema, planBody, putPlanSchema } from './plans/plan-schemas.ts';
import { putPlan } from './plans/put-plan.ts';
import { rateRoutes } from './prices/routes.ts';
import { listApiKeys, listOrganizations } from './queries.ts';
import {
  apiKeyBody,
  changeOrganizationSchema,
  createApiKeySchema,
  createOrganizationSchema,
  disableApiKeySchema,
  getOrganizationSchema,
  getUsageSchema,
  listApiKeysSchema,
  listOrganizationsSchema,
  ORGANIZATIONS_PER_PAGE_MAX,
  organizationBody,
  organizationPatchBody,
} from './schemas.ts';
import { getUsage, readDimensions } from './usage/get-usage.ts';

/** Registers tenants, API keys, plans and usage under `/admin/v1`. */
export function organizationRoutes(app: FastifyInstance, deps: { db: Database; clock: Clock }): void {
  app.post('/admin/v1/organizations', { schema: createOrganizationSchema }, async (request, reply) => {
    const body = readJsonBody(request, organizationBody);
    const organization = await createOrganization(deps, { ...readOrganizationChange(body), name: body.name });
    return reply.code(201).send(renderOrganization(organization));
  });

  app.get<{ Querystring: Query }>('/admin/v1/organizations', { schema: listOrganizationsSchema }, async ({ query }) => {
    const limit = readInteger(query, 'limit', { min: 1, max: ORGANIZATIONS_PER_PAGE_MAX, fallback: 50 });
    const before = readText(query, 'after');
    if (before !== undefined && !isUuid(before)) {
      throw invalid('"after" must be the "next" of an earlier answer.');
    }
    const page = await listOrganizations(deps.db, before, limit);
    return { data: page.map(renderOrganization), next: page.length < limit ? null : (page.at(-1)?.id ?? null) };
  });

  app.get<ForOrganization>('/admin/v1/organizations/:org_id', { schema: getOrganizationSchema }, async (request) =>
    renderOrganization(await getOrganization(deps, request.params.org_id)),
  );

  app.patch<ForOrganization>(
    '/admin/v1/organizations/:org_id',
    { schema: changeOrganizationSchema },
    async (request) => {
      const change = readOrganizationChange(readJsonBody(request, organizationPatchBody));
      return renderOrganization(await changeOrganization(deps, request.params.org_id, change));
    },
  );

  app.post<ForOrganization>(
    '/admin/v1/organizations/:org_id/api-keys',
    { schema: createApiKeySchema },
    async (request, reply) => {
      const { name } = readOptionalJsonBody(request, apiKeyBody) ?? {};
      const apiKey = await createApiKey(deps, request.params.org_id, { name });
      return reply.code(201).header('cache-control', 'no-store').send(renderApiKey(apiKey));
    },
  );

  app.get<ForOrganization>(
    '/admin/v1/organizations/:org_id/api-keys',
    { schema: listApiKeysSchema },
    async (request) => {
      const organization = await getOrganization(deps, request.params.org_id);
      return { data: (await listApiKeys(deps.db, organization.id)).map(renderListedApiKey) };
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/admin/v1/api-keys/:id',
    { schema: disableApiKeySchema },
    async (request, reply) => {
      await disableApiKey(deps, request.params.id);
      return reply.code(204).send();
    },
  );

  app.get<ForOrganization>('/admin/v1/organizations/:org_id/plan', { schema: getPlanSchema }, async (request) =>
    renderPlan(await getPlan(deps, request.params.org_id)),
  );

  app.put<ForOrganization>('/admin/v1/organizations/:org_id/plan', { schema: putPlanSchema }, async (request) => {
    const change = readPlanChange(readJsonBody(request, planBody));
    return renderPlan(await putPlan(deps, request.params.org_id, change));
  });

  app.get<ForOrganization & { Querystring: Query }>(
    '/admin/v1/organizations/:org_id/usage',
    { schema: getUsageSchema },
    async ({ params, query }) => {
      const by = readDimensions(readList(query, 'group_by') ?? []);
      return renderUsage(await getUsage(deps, params.org_id, readText(query, 'month'), by), by);
    },
  );
  rateRoutes(app, deps);
}

interface ForOrganization {
  Params: { org_id: string };
}
