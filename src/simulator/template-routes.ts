import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addressOf, pageQueryOf } from './account-routes.ts';
import { templateNode } from './graph-nodes.ts';
import { answerGraphCall, pathParameter, queryParameter, tokenOf } from './graph-request.ts';
import { pageOf } from './paging.ts';
import type { Platform } from './platform.ts';
import type { Template } from './records.ts';
import { readBackComponents } from './template-samples.ts';
import { usageHeaders } from './usage-headers.ts';

const config = { config: { simulatedEndpoint: 'templates' } } as const;

/** Message templates of an account: list, create, edit, delete. */
export function registerTemplateRoutes(app: FastifyInstance, platform: Platform): void {
  app.get('/:id/message_templates', config, (request, reply) => {
    const wabaId = pathParameter(request);
    reply.headers(usageHeaders(platform, wabaId));
    return answerGraphCall(platform, request, reply, { wabaId }, () => {
      platform.world.visibleWaba(wabaId, tokenOf(request), 'get');
      const fields = queryParameter(request, 'fields');
      const templates = platform.world.listTemplates(wabaId).filter(filterOf(request));
      return pageOf(templates, pageQueryOf(request), addressOf(request), (template) =>
        templateNode(template, readBackComponents(platform, template), fields),
      );
    });
  });
}

/** The list filters of the query, all of which must hold. `name` matches part of a name. */
function filterOf(request: FastifyRequest): (template: Template) => boolean {
  const asked = (name: string) => queryParameter(request, name)?.toUpperCase();
  const [name, status, category, language, quality, source] = [
    asked('name') ?? asked('name_or_content'),
    asked('status'),
    asked('category'),
    asked('language'),
    asked('quality_score'),
    asked('source'),
  ];
  return (template) =>
    (name === undefined || template.name.toUpperCase().includes(name)) &&
    (status === undefined || template.status === status) &&
    (category === undefined || template.category === category) &&
    (language === undefined || template.language.toUpperCase() === language) &&
    (quality === undefined || template.qualityScore === quality) &&
    (source === undefined || String(template.attributes.source ?? 'MANUAL').toUpperCase() === source);
}
