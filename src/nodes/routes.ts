import type { FastifyInstance } from 'fastify';
import { type Accounts, type SendingNumber, wabaNotFound } from '../accounts/index.ts';
import { AppError } from '../core/errors.ts';
import type { PassNode } from '../edges/index.ts';
import { addressFor, callerOf, checkScope, fieldNames, type Query, readFirstText, sendJson } from '../http/index.ts';
import { type FindDeps, findMedia, isWord } from '../media/index.ts';
import { findTemplateNode } from '../templates/index.ts';
import { graphList } from './graph-list.ts';
import { mediaNode } from './media-node.ts';
import { isKnownHere, numberNode } from './number-node.ts';
import { getNodeSchema, listNumbersSchema } from './schemas.ts';

export interface NodeDeps extends FindDeps {
  accounts: Accounts;
  /** Base URL for clients; `null` uses the address of each request. */
  publicUrl: string | null;
  passNode: PassNode;
  /** Returns the member `webhook_configuration` of a number. */
  webhooksOf: (number: SendingNumber) => Promise<object>;
}

/** Member of a number with the addresses of its webhooks, which are the organization's own here. */
const WEBHOOKS = 'webhook_configuration';
/** Kinds of objects that are read at the platform. */
const NODES = ['number', 'account', 'flow', 'group', 'signup'] as const;

/**
 * Registers the routes that read an object by its id alone, as the Cloud API does (api-rules#paths): numbers, business accounts, templates,
 * media, and the objects of the platform that are passed on.
 */
export function nodeRoutes(app: FastifyInstance, deps: NodeDeps): void {
  const { accounts, publicUrl, passNode } = deps;

  // Clients test a key with a request for nothing: a wrong key is answered 401 before this.
  app.get('/v1', { schema: { hide: true } }, async () => {
    throw new AppError(
      'NOT_FOUND',
      'The key is valid. A version alone names nothing: put the id of an object behind it.',
    );
  });

  app.get('/v1/:id', { schema: getNodeSchema }, async (request, reply) => {
    const { organizationId } = callerOf(request);
    const { id } = request.params as { id: string };
    // All other paths of one segment end here as well; the platform is not asked about them.
    if (isWord(id)) return reply.callNotFound();
    const fields = readFirstText(request.query as Query, 'fields');
    const wanted = fields === undefined ? [] : fieldNames(fields);
    const number = await accounts.findNumber(organizationId, id);
    if (number !== undefined && wanted.every(isKnownHere)) return numberNode(number, fields);
    if (number !== undefined && wanted.includes(WEBHOOKS)) {
      checkScope(callerOf(request), 'webhooks');
      const others = wanted.filter((name) => name !== WEBHOOKS);
      const configuration = await deps.webhooksOf(number);
      if (others.every(isKnownHere))
        return { ...numberNode(number, ['id', ...others].join(',')), [WEBHOOKS]: configuration };
      const add = { name: WEBHOOKS, json: JSON.stringify(configuration) };
      return (await passNode({ request, reply }, id, NODES, { add })) ?? reply.callNotFound();
    }
    const waba = await accounts.findWaba(organizationId, id);
    if (waba !== undefined && wanted.every((name) => name === 'id')) return { id: waba.wabaId };
    const exchange = { request, reply };
    const passed = await passNode(exchange, id, NODES);
    if (passed !== undefined) return passed;
    const template = await findTemplateNode(deps, organizationId, id, fields);
    if (template !== undefined) return sendJson(reply, template);
    const phoneNumberId = readFirstText(request.query as Query, 'phone_number_id');
    try {
      const { media } = await findMedia(deps, { organizationId, mediaId: id, phoneNumberId });
      return mediaNode(media, downloadUrl(addressFor(request, publicUrl), id, phoneNumberId), fields);
    } catch (error) {
      // A flow or a group that was made elsewhere.
      const late = isAbsence(error) ? await passNode(exchange, id, NODES, { asksPlatform: true }) : undefined;
      if (late === undefined) throw error;
      return late;
    }
  });

  app.get('/v1/:wabaId/phone_numbers', { schema: listNumbersSchema }, async (request, reply) => {
    const { organizationId } = callerOf(request);
    const { wabaId } = request.params as { wabaId: string };
    if ((await accounts.findWaba(organizationId, wabaId)) === undefined) throw wabaNotFound();
    const wanted = readFirstText(request.query as Query, 'fields');
    if (wanted !== undefined && !fieldNames(wanted).every(isKnownHere)) {
      const passed = await passNode({ request, reply }, wabaId, ['account'], { path: 'phone_numbers' });
      if (passed !== undefined) return passed;
    }
    const numbers = await accounts.listNumbersOfWaba(organizationId, wabaId);
    // A number that the platform no longer lists has no status; it is stored only because of messages sent from it.
    const listed = numbers.filter((number) => number.status !== null);
    const [fields, after, before] = ['fields', 'after', 'before'].map((name) =>
      readFirstText(request.query as Query, name),
    );
    return graphList(
      listed.map((number) => numberNode(number, fields)),
      { after, before },
    );
  });
}

function isAbsence(error: unknown): boolean {
  return error instanceof AppError && error.code === 'NOT_FOUND';
}

function downloadUrl(address: string, mediaId: string, phoneNumberId: string | undefined): string {
  const url = `${address}/v1/media/${mediaId}/download`;
  return phoneNumberId === undefined ? url : `${url}?phone_number_id=${encodeURIComponent(phoneNumberId)}`;
}
