import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject } from 'typebox';
import type { Accounts } from '../accounts/index.ts';
import { AppError, invalid } from '../core/errors.ts';
import { object } from '../core/json/index.ts';
import { type PassNode, withPassedAnswers } from '../edges/index.ts';
import {
  addressFor,
  callerOf,
  checkShape,
  fieldNames,
  jsonBytesOf,
  type Query,
  readInteger,
  readText,
  sendJson,
} from '../http/index.ts';
import type { TemplateSelection } from '../upstream/index.ts';
import { WabaLookups } from './choose/waba-lookups.ts';
import { findTemplateWaba, getTemplate, getWaba, isTemplateId, templateNotFound } from './records/get-template.ts';
import { LIMITS, listTemplatePage, type TemplatePage } from './records/template-list.ts';
import { summarizeTemplates } from './records/template-summary.ts';
import { renderGraphTemplate, renderInTurns, renderTemplate } from './records/template-view.ts';
import {
  createTemplateSchema,
  deleteQuery,
  deleteTemplateSchema,
  deleteTemplatesSchema,
  editTemplateSchema,
  getTemplateSchema,
  graphListQuery,
  listGraphTemplatesSchema,
  listTemplatesSchema,
  recordListQuery,
} from './schemas.ts';
import type { TemplateDeps } from './template-deps.ts';
import { createTemplate } from './write/create-template.ts';
import { deleteTemplate, deleteTemplates } from './write/delete-templates.ts';
import { readDeletionBody } from './write/deletion-body.ts';
import { editTemplate } from './write/edit-template.ts';
import { SampleGate } from './write/sample-gate.ts';
import { readTemplateBody, readTemplateEdit } from './write/template-body.ts';

const DELETE_IDS_MAX = 100;
/** All temporary trouble has one error code (api-rules#errors). */
const config = { failureCode: 'INTERNAL_ERROR' } as const;

interface OfWaba {
  Params: { wabaId: string };
}
interface OfTemplate {
  Params: { id: string };
}

export interface TemplateRouteDeps extends Omit<TemplateDeps, 'gate' | 'summaries'> {
  accounts: Accounts;
  /** Public URL of the gateway; `null` uses the address of each request. */
  publicUrl: string | null;
  passNode: PassNode;
  /** Changes the address that a number's webhooks go to, if the request asks for that; returns false otherwise. */
  changeWebhooks: (request: FastifyRequest, id: string) => Promise<boolean>;
}

/** Registers the template routes: api-rules#templates, and the Cloud API's own spellings. */
export function templateRoutes(app: FastifyInstance, routeDeps: TemplateRouteDeps): void {
  const deps: TemplateDeps = { ...routeDeps, gate: new SampleGate(), summaries: new WabaLookups() };
  const { accounts, publicUrl, passNode, changeWebhooks } = routeDeps;

  const create = async (request: FastifyRequest<OfWaba>) => {
    const body = readTemplateBody(jsonBytesOf(request));
    return createTemplate(deps, callerOf(request).organizationId, request.params.wabaId, body);
  };
  app.post<OfWaba>('/v1/:wabaId/templates', { schema: createTemplateSchema, config }, create);
  const createMessageTemplateSchema = { ...createTemplateSchema, operationId: 'createMessageTemplate' };
  app.post<OfWaba>('/v1/:wabaId/message_templates', { schema: createMessageTemplateSchema, config }, create);

  app.get<OfTemplate>('/v1/templates/:id', { schema: getTemplateSchema, config }, async (request, reply) => {
    const record = await getTemplate(deps, callerOf(request).organizationId, request.params.id);
    return sendJson(reply, renderTemplate(record));
  });

  app.get('/v1/templates', { schema: listTemplatesSchema, config }, async (request, reply) => {
    const query = readListQuery(recordListQuery, request.query as Query);
    const page = await listTemplatePage(deps, callerOf(request).organizationId, query);
    const items = await renderInTurns(page.records, renderTemplate);
    return sendPage(reply, page, items, linksFrom(addressFor(request, publicUrl), request));
  });

  app.get<OfWaba>(
    '/v1/:wabaId/message_templates',
    { schema: listGraphTemplatesSchema, config },
    async (request, reply) => {
      const { fields, summary, ...query } = readListQuery(graphListQuery, request.query as Query);
      const { organizationId } = callerOf(request);
      const { wabaId } = await getWaba(deps, organizationId, request.params.wabaId);
      const page = await listTemplatePage(deps, organizationId, { ...query, waba_id: wabaId });
      const wanted = fields === undefined ? undefined : fieldNames(fields);
      const counts =
        summary === undefined ? undefined : await summarizeTemplates(deps, organizationId, wabaId, summary);
      return sendPage(
        reply,
        page,
        await renderInTurns(page.records, (record) => renderGraphTemplate(record, wanted)),
        linksFrom(addressFor(request, publicUrl), request),
        counts,
      );
    },
  );

  const edit = async (request: FastifyRequest<OfTemplate>) => {
    const { id: templateId } = request.params;
    if (!isTemplateId(templateId)) throw templateNotFound();
    const change = readTemplateEdit(jsonBytesOf(request));
    const { id, name, category } = await editTemplate(deps, callerOf(request).organizationId, templateId, change);
    return { success: true, id, name, category };
  };
  app.post<OfTemplate>('/v1/templates/:id', { schema: editTemplateSchema, config }, edit);
  const editNodeSchema = {
    ...editTemplateSchema,
    operationId: 'editTemplateNode',
    summary: 'Edit a template, a flow, a group, a number or a business account',
    response: withPassedAnswers(editTemplateSchema.response),
  };
  app.post<OfTemplate>('/v1/:id', { schema: editNodeSchema, config }, async (request, reply) => {
    const { id } = request.params;
    const { organizationId } = callerOf(request);
    const exchange = { request, reply };
    if (await changeWebhooks(request, id)) return { success: true };
    const passed = /\d/.test(id) ? await passNode(exchange, id, ['number', 'account', 'flow', 'group']) : undefined;
    if (passed !== undefined) return passed;
    // Every other one-segment path reaches this route, too, but no template has such an id.
    if (!isTemplateId(id)) return reply.callNotFound();
    await refuseOtherNode(accounts, organizationId, id);
    if ((await findTemplateWaba(deps, organizationId, id)) === undefined) {
      const late = await passNode(exchange, id, ['flow'], { asksPlatform: true });
      if (late !== undefined) return late;
    }
    return edit(request);
  });

  app.delete<OfTemplate>('/v1/templates/:id', { schema: deleteTemplateSchema, config }, async (request) => {
    await deleteTemplate(deps, callerOf(request).organizationId, request.params.id);
    return { success: true };
  });

  app.delete<OfWaba>('/v1/:wabaId/message_templates', { schema: deleteTemplatesSchema, config }, async (request) => {
    const selection = readSelection({ ...readDeletionBody(jsonBytesOf(request)), ...(request.query as object) });
    await deleteTemplates(deps, callerOf(request).organizationId, request.params.wabaId, selection);
    return { success: true };
  });
}

/** Raises NOT_FOUND for the id of a number or a business account, and names the full path: the client probably left its end out. */
async function refuseOtherNode(
  accounts: Pick<Accounts, 'findNumber' | 'findWaba'>,
  organizationId: string,
  id: string,
): Promise<void> {
  if ((await accounts.findNumber(organizationId, id)) !== undefined) {
    throw new AppError('NOT_FOUND', `${id} is a sending number. Messages go to POST /v1/${id}/messages.`);
  }
  if ((await accounts.findWaba(organizationId, id)) !== undefined) {
    throw new AppError('NOT_FOUND', `${id} is a business account. Templates go to POST /v1/${id}/templates.`);
  }
}

/** Returns the list parameters that have a value; many clients send empty ones. Raises VALIDATION_ERROR. */
function readListQuery<Schema extends TObject>(schema: Schema, query: Query): Static<Schema> {
  const told = Object.keys(schema.properties).flatMap((name) => {
    const text = readText(query, name);
    return text === undefined ? [] : [[name, text] as const];
  });
  return checkShape(schema, { ...Object.fromEntries(told), limit: readInteger(query, 'limit', LIMITS) });
}

/** Reads the selection in `?name=`, `?name=&hsm_id=` or `?hsm_ids=`. Raises VALIDATION_ERROR. */
function readSelection(parameters: unknown): TemplateSelection {
  const { name, hsm_id: id, hsm_ids: idsText } = checkShape(deleteQuery, parameters);
  if (idsText !== undefined) {
    if (name !== undefined || id !== undefined) throw invalid('"hsm_ids" cannot be combined with "name" or "hsm_id".');
    return { ids: readIds(idsText) };
  }
  if (name === undefined)
    throw invalid('"name" is missing: the template to delete, in all languages without "hsm_id".');
  if (id === undefined) return { name };
  if (!isTemplateId(id)) throw invalid('"hsm_id" must be the id of a template.');
  return { name, id };
}

function readIds(text: string): string[] {
  // Large ids would lose digits as JSON numbers, so they are read from the text.
  const list = /^\s*\[\s*("?\d{1,30}"?(?:\s*,\s*"?\d{1,30}"?)*)\s*\]\s*$/.exec(text)?.[1];
  const ids = [...new Set(list?.match(/\d+/g) ?? [])];
  if (ids.length === 0 || ids.length > DELETE_IDS_MAX) {
    throw invalid(`"hsm_ids" must be a JSON array of 1 to ${DELETE_IDS_MAX} template ids.`);
  }
  return ids;
}

type LinkTo = (cursor: Record<string, string>) => string;

/** Sends a page in the Cloud API's list envelope. */
function sendPage(
  reply: FastifyReply,
  { cursors, hasNext, hasPrevious }: TemplatePage,
  items: readonly string[],
  linkTo: LinkTo,
  /** JSON text. */
  summary?: string,
): FastifyReply {
  const paging = cursors && {
    cursors,
    ...(hasNext && { next: linkTo({ after: cursors.after }) }),
    ...(hasPrevious && { previous: linkTo({ before: cursors.before }) }),
  };
  const body = object([
    ['data', `[${items.join(',')}]`],
    ['paging', paging && JSON.stringify(paging)],
    ['summary', summary],
  ]);
  return sendJson(reply, body);
}

/** Returns a function that links to other pages of the requested list. */
function linksFrom(address: string, request: FastifyRequest): LinkTo {
  const [path = '', ...query] = request.originalUrl.split('?');
  return (cursor) => {
    const parameters = new URLSearchParams(query.join('?'));
    for (const name of ['after', 'before', 'access_token']) parameters.delete(name);
    for (const [name, value] of Object.entries(cursor)) parameters.set(name, value);
    return `${address}${path}?${parameters}`;
  };
}
