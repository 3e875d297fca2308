import type { FastifyInstance } from 'fastify';
import type { Apps } from '../../apps/index.ts';
import { invalid } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { addressFor, type Query, readInteger, readOptionalJsonBody, readText } from '../../http/index.ts';
import { getOrganization } from '../../organizations/index.ts';
import { listLinks, type SetupLink } from './link-queries.ts';
import { createLinkSchema, LINKS_PER_PAGE_MAX, linkBody, listLinksSchema, revokeLinkSchema } from './link-schemas.ts';
import { createLink, endLink, LINK_SECONDS, type LinkDeps } from './setup-links.ts';

const ROOT = '/admin/v1/organizations/:org_id/setup-links';

interface OfOrganization {
  Params: { org_id: string };
}

/** Registers set-up links under `/admin/v1`. */
export function linkRoutes(
  app: FastifyInstance,
  deps: LinkDeps & { publicUrl: string | null; apps: Pick<Apps, 'defaultAppId' | 'find'> },
): void {
  const { apps } = deps;

  app.post<OfOrganization>(ROOT, { schema: createLinkSchema }, async (request, reply) => {
    const body = readOptionalJsonBody(request, linkBody) ?? {};
    const { link, secret } = await createLink(deps, request.params.org_id, {
      expiresInSeconds: body.expires_in_seconds ?? LINK_SECONDS.default,
      appId: body.app_id ?? null,
      testRecipient: body.test_recipient,
      template: body.template,
    });
    const url = `${addressFor(request, deps.publicUrl)}/setup#${secret}`;
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send({ ...renderLink(link, apps), url });
  });

  app.get<OfOrganization & { Querystring: Query }>(ROOT, { schema: listLinksSchema }, async ({ params, query }) => {
    const limit = readInteger(query, 'limit', { min: 1, max: LINKS_PER_PAGE_MAX, fallback: LINKS_PER_PAGE_MAX });
    const before = readText(query, 'after');
    if (before !== undefined && !isUuid(before)) throw invalid('"after" must be the "next" of an earlier answer.');
    const { id } = await getOrganization(deps, params.org_id);
    const page = await listLinks(deps.db, id, before, limit);
    const next = page.length < limit ? null : (page.at(-1)?.id ?? null);
    return { data: page.map((link) => renderLink(link, apps)), next };
  });

  app.delete<{ Params: { org_id: string; id: string } }>(
    `${ROOT}/:id`,
    { schema: revokeLinkSchema },
    async ({ params }, reply) => {
      await endLink(deps, params.org_id, params.id);
      return reply.code(204).send();
    },
  );
}

function renderLink(link: SetupLink, { defaultAppId }: Pick<Apps, 'defaultAppId'>) {
  return {
    id: link.id,
    created_at: link.createdAt.toISOString(),
    expires_at: link.expiresAt.toISOString(),
    revoked_at: link.revokedAt?.toISOString() ?? null,
    onboarding_id: link.onboardingId,
    app_id: link.appId ?? defaultAppId,
    test_recipient: link.testRecipient,
    template: { name: link.templateName, language: link.templateLanguage },
  };
}
