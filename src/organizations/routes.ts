import type { FastifyInstance } from 'fastify';
import { invalid } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../database/database.ts';
import { callerOf, type Query, readInteger, readJsonBody, readList, readText } from '../http/index.ts';
import { changeOrganization } from './change-organization.ts';
import { type ConnectTestAccount, createOrganization, createTestOrganization } from './create-organization.ts';
import { getOrganization } from './get-organization.ts';
import { keyRoutes } from './keys/routes.ts';
import {
  readOrganizationChange,
  readPlanChange,
  renderOrganization,
  renderPlan,
  renderUsage,
  renderUsageDays,
} from './organization-view.ts';
import { getPlan } from './plans/get-plan.ts';
import { getPlanSchema, planBody, putPlanSchema } from './plans/plan-schemas.ts';
import { putPlan } from './plans/put-plan.ts';
import { rateRoutes } from './prices/routes.ts';
import { listOrganizations } from './queries.ts';
import {
  changeOrganizationSchema,
  createOrganizationSchema,
  getOrganizationSchema,
  listOrganizationsSchema,
  ORGANIZATIONS_PER_PAGE_MAX,
  organizationBody,
  organizationPatchBody,
} from './schemas.ts';
import { getUsage, readDimensions } from './usage/get-usage.ts';
import { getUsageDays, readDayDimension } from './usage/get-usage-days.ts';
import { getOwnUsageSchema, getUsageDaysSchema, getUsageSchema } from './usage/usage-schemas.ts';

interface OrganizationRouteDeps {
  db: Database;
  clock: Clock;
  connectTestAccount: ConnectTestAccount;
}

/** Registers tenants, API keys, plans and usage under `/admin/v1`, and the usage of a key's own organization. */
export function organizationRoutes(app: FastifyInstance, deps: OrganizationRouteDeps): void {
  app.post('/admin/v1/organizations', { schema: createOrganizationSchema }, async (request, reply) => {
    const body = readJsonBody(request, organizationBody);
    const { name, test } = body;
    const create = test ? createTestOrganization : createOrganization;
    return reply.code(201).send(renderOrganization(await create(deps, { ...readOrganizationChange(body), name })));
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

  app.get<ForOrganization>('/admin/v1/organizations/:org_id/plan', { schema: getPlanSchema }, async (request) =>
    renderPlan(await getPlan(deps, request.params.org_id)),
  );

  app.put<ForOrganization>('/admin/v1/organizations/:org_id/plan', { schema: putPlanSchema }, async (request) => {
    const change = readPlanChange(readJsonBody(request, planBody));
    return renderPlan(await putPlan(deps, request.params.org_id, change));
  });

  const usageOf = async (organizationId: string, query: Query) => {
    const by = readDimensions(readList(query, 'group_by') ?? []);
    return renderUsage(await getUsage(deps, organizationId, readText(query, 'month'), by), by);
  };
  app.get<ForOrganization & { Querystring: Query }>(
    '/admin/v1/organizations/:org_id/usage',
    { schema: getUsageSchema },
    ({ params, query }) => usageOf(params.org_id, query),
  );
  app.get<{ Querystring: Query }>('/v1/usage', { schema: getOwnUsageSchema }, (request) =>
    usageOf(callerOf(request).organizationId, request.query),
  );

  app.get<ForOrganization & { Querystring: Query }>(
    '/admin/v1/organizations/:org_id/usage/days',
    { schema: getUsageDaysSchema },
    async ({ params, query }) => {
      const by = readDayDimension(readText(query, 'group_by'));
      return renderUsageDays(await getUsageDays(deps, params.org_id, readText(query, 'month'), by), by);
    },
  );

  keyRoutes(app, deps);
  rateRoutes(app, deps);
}

interface ForOrganization {
  Params: { org_id: string };
}
