import type { FastifyInstance } from 'fastify';
import { graphCalls } from '../graph/graph-calls.ts';
import { invalidParameter } from '../graph/graph-errors.ts';
import { queryParameter, tokenOf } from '../graph/graph-request.ts';
import type { JsonObject } from '../graph/json-object.ts';
import type { Platform } from '../platform.ts';
import { parametersOf, requiredText } from './parameters.ts';

/** Small objects of a number: what is shown before they are set, and the form of the answer. */
const DOCUMENTS: readonly { edge: string; first: JsonObject; show: (document: JsonObject) => JsonObject }[] = [
  {
    edge: 'whatsapp_business_profile',
    first: { messaging_product: 'whatsapp' },
    show: (document) => ({ data: [document] }),
  },
  {
    edge: 'whatsapp_commerce_settings',
    first: { is_cart_enabled: true, is_catalog_visible: false },
    show: (document) => ({ data: [document] }),
  },
  { edge: 'conversational_automation', first: {}, show: (document) => ({ conversational_automation: document }) },
  { edge: 'business_compliance_info', first: {}, show: (document) => ({ data: [document] }) },
  { edge: 'official_business_account', first: { oba_status: 'NOT_STARTED' }, show: (document) => document },
  { edge: 'settings', first: { calling: { status: 'DISABLED' } }, show: (document) => document },
];

/** Registers the small objects of numbers: profile, commerce, automation, compliance, settings, user name, public key. */
export function registerDocumentRoutes(app: FastifyInstance, platform: Platform): void {
  const { world, edges } = platform;
  const graph = graphCalls(app, platform);
  const options = { endpoint: 'numbers', isManagement: true } as const;

  for (const { edge, first, show } of DOCUMENTS) {
    graph('GET', `/:id/${edge}`, options, (request, id) => {
      world.visibleNumber(id, tokenOf(request), 'get');
      const document: JsonObject = { ...first, ...edges.documentOf(id, edge) };
      const names = queryParameter(request, 'fields')?.split(',');
      return show(
        names === undefined
          ? document
          : Object.fromEntries(Object.entries(document).filter(([name]) => names.includes(name))),
      );
    });
    graph('POST', `/:id/${edge}`, options, (request, id) => {
      world.visibleNumber(id, tokenOf(request));
      Object.assign(edges.documentOf(id, edge), withoutToken(parametersOf(request)));
      return { success: true };
    });
  }

  graph('GET', '/:id/whatsapp_business_encryption', options, (request, id) => {
    world.visibleNumber(id, tokenOf(request), 'get');
    const { business_public_key: key } = edges.documentOf(id, 'encryption');
    return {
      data: key === undefined ? [] : [{ business_public_key: key, business_public_key_signature_status: 'VALID' }],
    };
  });
  graph('POST', '/:id/whatsapp_business_encryption', options, (request, id) => {
    world.visibleNumber(id, tokenOf(request));
    edges.documentOf(id, 'encryption').business_public_key = requiredText(parametersOf(request), 'business_public_key');
    return { success: true };
  });

  graph('GET', '/:id/username', options, (request, id) => {
    world.visibleNumber(id, tokenOf(request), 'get');
    return { ...edges.documentOf(id, 'username') };
  });
  graph('POST', '/:id/username', options, (request, id) => {
    world.visibleNumber(id, tokenOf(request));
    const username = requiredText(parametersOf(request), 'username');
    if (!/^[a-z0-9._]{3,35}$/.test(username)) throw invalidParameter('The user name is not valid.');
    Object.assign(edges.documentOf(id, 'username'), { username, status: 'reserved' });
    return { status: 'reserved' };
  });
  graph('DELETE', '/:id/username', options, (request, id) => {
    world.visibleNumber(id, tokenOf(request), 'delete');
    const document = edges.documentOf(id, 'username');
    delete document.username;
    delete document.status;
    return { success: true };
  });
  graph('GET', '/:id/username_suggestions', options, (request, id) => {
    const number = world.visibleNumber(id, tokenOf(request), 'get');
    return { data: [{ username_suggestions: [number.verifiedName.toLowerCase().replace(/[^a-z0-9]/g, '')] }] };
  });
}

function withoutToken({ access_token: _, appsecret_proof: __, ...parameters }: JsonObject): JsonObject {
  return parameters;
}
