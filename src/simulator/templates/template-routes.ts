import type { FastifyInstance, FastifyRequest } from 'fastify';
import { changeAccount } from '../edges/account-edge-routes.ts';
import { nodeCall } from '../edges/node-call.ts';
import { graphCalls } from '../graph/graph-calls.ts';
import { invalidParameter } from '../graph/graph-errors.ts';
import { templateNode } from '../graph/graph-nodes.ts';
import { jsonBody, queryParameter, tokenOf } from '../graph/graph-request.ts';
import type { JsonObject } from '../graph/json-object.ts';
import { pageOf } from '../graph/paging.ts';
import type { Platform } from '../platform.ts';
import { type Template, templatesMaxOf, type Waba } from '../records.ts';
import { changeNumber } from '../webhooks/change-number.ts';
import { createTemplate, editTemplate } from './create-template.ts';
import { plainTemplateError, templateError } from './template-errors.ts';
import { setTemplateStatus } from './template-review.ts';
import { readBackComponents } from './template-samples.ts';

/** Milliseconds for which the name of a deleted approved template stays locked. */
const NAME_LOCK_MS = 30 * 86_400_000;
const templates = { endpoint: 'templates' } as const;
const management = { ...templates, isManagement: true } as const;

/** Registers the message templates of an account: list, create, edit, delete. */
export function registerTemplateRoutes(app: FastifyInstance, platform: Platform): void {
  const { world } = platform;
  const graph = graphCalls(app, platform);

  graph('GET', '/:id/message_templates', management, (request, wabaId) => {
    const waba = world.visibleWaba(wabaId, tokenOf(request), 'get');
    const fields = queryParameter(request, 'fields');
    const all = world.listTemplates(wabaId);
    const page = pageOf(all.filter(filterOf(request)), request, (template) =>
      templateNode(template, readBackComponents(platform, template), fields),
    );
    const summary = queryParameter(request, 'summary');
    return summary === undefined ? page : { ...page, summary: summaryOf(waba, all, summary) };
  });

  graph('POST', '/:id/message_templates', management, (request, wabaId) => {
    const waba = world.visibleWaba(wabaId, tokenOf(request));
    const { id, status, category } = createTemplate(platform, waba, jsonBody(request));
    return { id, status, category };
  });

  graph('DELETE', '/:id/message_templates', management, (request, wabaId) => {
    world.visibleWaba(wabaId, tokenOf(request), 'delete');
    deleteTemplates(platform, templatesToDelete(platform, request, wabaId));
    return { success: true };
  });

  // One route for all nodes, because the webhook address of a number is also set here.
  graph('POST', '/:id', templates, (request, id) => {
    if (world.findNumber(id) !== undefined) {
      return changeNumber(platform, world.visibleNumber(id, tokenOf(request)), {
        ...(request.query as JsonObject),
        ...jsonBody(request),
      });
    }
    if (world.findWaba(id) !== undefined) return changeAccount(platform, request, id);
    const other = nodeCall(platform, request, id);
    if (other !== undefined) return other;
    const template = world.visibleTemplate(id, tokenOf(request));
    editTemplate(platform, template, jsonBody(request));
    return { success: true, id, name: template.name, category: template.category };
  });

  graph('POST', '/:id/unpause', templates, (request, id) => {
    const template = world.visibleTemplate(id, tokenOf(request));
    if (template.status !== 'PAUSED') throw invalidParameter('The template is not paused.');
    void setTemplateStatus(platform, template, { status: 'APPROVED' });
    return { success: true };
  });
}

/** Returns the counts that `summary` names, over all templates of the account, whatever the list shows. */
function summaryOf(waba: Waba, templates: readonly Template[], asked: string): JsonObject {
  const counts: JsonObject = {
    total_count: templates.length,
    message_template_count: templates.length,
    message_template_limit: templatesMaxOf(waba),
    are_translations_complete: true,
  };
  const words = asked.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !Object.hasOwn(counts, word));
  if (unknown !== undefined) throw invalidParameter(`Param summary has no field ${unknown}.`);
  return Object.fromEntries(words.map((word) => [word, counts[word]]));
}

function deleteTemplates(platform: Platform, templates: readonly Template[]): void {
  for (const template of templates) {
    if (template.attributes.source === 'AUTO_GENERATED') throw templateError(2388330, 'Generated templates stay.');
    if (template.status === 'DISABLED') throw invalidParameter('A disabled template cannot be deleted.');
  }
  const now = platform.clock.now();
  for (const template of templates) {
    platform.world.removeTemplate(template, template.status === 'APPROVED' ? now + NAME_LOCK_MS : now);
    void setTemplateStatus(platform, template, { status: 'DELETED' });
  }
}

/** Selects by `name` all languages, with `hsm_id` one of them, or by `hsm_ids` a list. */
function templatesToDelete(platform: Platform, request: FastifyRequest, wabaId: string): Template[] {
  const name = queryParameter(request, 'name');
  const id = queryParameter(request, 'hsm_id');
  const list = queryParameter(request, 'hsm_ids');
  if (list !== undefined && (name !== undefined || id !== undefined)) {
    throw invalidParameter('Param hsm_ids cannot be combined with name or hsm_id.');
  }
  if (list === undefined && name === undefined) throw invalidParameter('The parameter name is required.');
  const ids = id === undefined ? idList(list) : [id];
  const templates = platform.world
    .listTemplates(wabaId)
    .filter(
      (template) => (name === undefined || template.name === name) && (ids === null || ids.includes(template.id)),
    );
  if (templates.length === 0) {
    throw plainTemplateError('Message Template Not Found', 'There is no such message template in this account.');
  }
  return templates;
}

function idList(text: string | undefined): string[] | null {
  if (text === undefined) return null;
  try {
    const ids: unknown = JSON.parse(text);
    if (Array.isArray(ids) && ids.length <= 100) return ids.map(String);
  } catch {
    // Refused below like any other malformed list.
  }
  throw invalidParameter('Param hsm_ids must be an array of at most 100 ids.');
}

/** Builds the filter of the query's conditions, all of which must hold. `name` matches a part of a name. */
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
