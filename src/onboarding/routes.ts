import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { invalid } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';
import { type Query, readInteger, readJsonBody, readOptionalJsonBody, readText } from '../http/index.ts';
import { getOrganization } from '../organizations/index.ts';
import {
  beginOnboarding,
  type ChangeDeps,
  endOnboarding,
  type Given,
  getOnboarding,
  repeatStep,
  takePin,
} from './change-onboarding.ts';
import { renderOnboarding } from './onboarding-view.ts';
import { listOnboardings, type Onboarding } from './queries.ts';
import {
  beginSchema,
  endSchema,
  getSchema,
  listSchema,
  ONBOARDINGS_PER_PAGE_MAX,
  onboardingBody,
  pinSchema,
  repeatBody,
  repeatSchema,
} from './schemas.ts';
import { type VerifyDeps, verifyByCode } from './verify-by-code.ts';

interface OfOrganization {
  Params: { org_id: string };
  Querystring: Query;
}
interface OfOnboarding {
  Params: { org_id: string; id: string };
}
interface OfStep {
  Params: { org_id: string; id: string; step: string };
}

const ROOT = '/admin/v1/organizations/:org_id/onboardings';

/** Registers the onboarding of accounts under `/admin/v1`. */
export function onboardingRoutes(app: FastifyInstance, deps: ChangeDeps & VerifyDeps): void {
  const { db } = deps;
  const render = (one: Onboarding) => renderOnboarding(one, deps.apps);

  app.post<OfOrganization>(ROOT, { schema: beginSchema }, async (request, reply) => {
    const given = readGiven(readJsonBody(request, onboardingBody));
    return reply.code(201).send(render(await beginOnboarding(deps, request.params.org_id, given)));
  });

  app.get<OfOrganization>(ROOT, { schema: listSchema }, async ({ params, query }) => {
    const { id } = await getOrganization(deps, params.org_id);
    const limit = readInteger(query, 'limit', { min: 1, max: ONBOARDINGS_PER_PAGE_MAX, fallback: 50 });
    const before = readText(query, 'after');
    if (before !== undefined && !isUuid(before)) throw invalid('"after" must be the "next" of an earlier answer.');
    const page = await listOnboardings(db, id, before, limit);
    return { data: page.map(render), next: page.length < limit ? null : (page.at(-1)?.id ?? null) };
  });

  app.get<OfOnboarding>(`${ROOT}/:id`, { schema: getSchema }, async ({ params }) =>
    render(await getOnboarding(db, params.org_id, params.id)),
  );

  app.post<OfStep>(`${ROOT}/:id/steps/:step`, { schema: repeatSchema }, async (request) => {
    const { org_id: organizationId, id, step } = request.params;
    const body = readOptionalJsonBody(request, repeatBody) ?? {};
    await verifyByCode(deps, { organizationId, id, step }, body);
    const given = { ...readGiven(body), replaceCallback: body.replace_callback };
    return render(await repeatStep(deps, { organizationId, id, step }, given));
  });

  app.post<OfOnboarding>(`${ROOT}/:id/pin`, { schema: pinSchema }, async ({ params }, reply) => {
    const pin = await takePin(deps, params.org_id, params.id);
    return reply.header('cache-control', 'no-store').send({ pin });
  });

  app.delete<OfOnboarding>(`${ROOT}/:id`, { schema: endSchema }, async ({ params }, reply) => {
    await endOnboarding(deps, params.org_id, params.id);
    return reply.code(204).send();
  });
}

function readGiven(body: Static<typeof onboardingBody>): Given {
  return {
    appId: body.app_id,
    accessToken: body.access_token,
    code: body.code,
    redirectUri: body.redirect_uri,
    wabaId: body.waba_id,
    phoneNumberId: body.phone_number_id,
    pin: body.pin,
    testRecipient: body.test_recipient,
    template: body.template,
  };
}
