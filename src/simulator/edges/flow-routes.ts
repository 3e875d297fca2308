import type { FastifyInstance, FastifyRequest } from 'fastify';
import { graphCalls } from '../graph/graph-calls.ts';
import { GraphError, invalidParameter, unknownObject } from '../graph/graph-errors.ts';
import { selectFields } from '../graph/graph-nodes.ts';
import { queryParameter, tokenOf } from '../graph/graph-request.ts';
import { asString, type JsonObject } from '../graph/json-object.ts';
import { pageOf } from '../graph/paging.ts';
import type { Platform } from '../platform.ts';
import type { Flow } from './edge-store.ts';
import { parametersOf, requiredText } from './parameters.ts';

const DEFAULTS = ['name', 'status', 'categories', 'validation_errors'];

/** Registers flows: list, create, assets, publication. Reads, changes and deletions of one flow are calls of nodes. */
export function registerFlowRoutes(app: FastifyInstance, platform: Platform): void {
  const { world, edges, ids } = platform;
  const graph = graphCalls(app, platform);
  const options = { endpoint: 'accounts', isManagement: true } as const;

  graph('GET', '/:id/flows', options, (request, wabaId) => {
    world.visibleWaba(wabaId, tokenOf(request), 'get');
    const flows = [...edges.flows.values()].filter((flow) => flow.wabaId === wabaId);
    return pageOf(flows, request, (flow) => flowNode(flow, queryParameter(request, 'fields')));
  });

  graph('POST', '/:id/flows', options, (request, wabaId) => {
    const waba = world.visibleWaba(wabaId, tokenOf(request));
    const parameters = parametersOf(request);
    const cloned =
      parameters.clone_flow_id === undefined
        ? undefined
        : visibleFlow(platform, String(parameters.clone_flow_id), tokenOf(request));
    const givenJson = asString(parameters.flow_json);
    const flow: Flow = {
      id: ids.objectId(),
      wabaId: waba.id,
      name: requiredText(parameters, 'name'),
      categories: parameters.categories ?? ['OTHER'],
      status: 'DRAFT',
      endpointUri: asString(parameters.endpoint_uri) ?? null,
      json: givenJson === undefined ? (cloned?.json ?? null) : Buffer.from(givenJson),
    };
    edges.flows.set(flow.id, flow);
    return { id: flow.id };
  });

  graph('GET', '/:id/assets', options, (request, id) => {
    const flow = visibleFlow(platform, id, tokenOf(request), 'get');
    const assets = flow.json === null ? [] : [{ id: 'flow.json' }];
    return pageOf(assets, request, () => ({
      name: 'flow.json',
      asset_type: 'FLOW_JSON',
      download_url: `https://scontent.example.net/${id}/flow.json`,
    }));
  });

  graph('POST', '/:id/assets', { ...options, bodyLimit: 12 * 1024 * 1024 }, (request, id) => {
    const flow = visibleFlow(platform, id, tokenOf(request));
    const { file, asset_type } = parametersOf(request);
    if (!Buffer.isBuffer(file) || asset_type !== 'FLOW_JSON') throw invalidParameter('The parameter file is required.');
    flow.json = file;
    return { success: true, validation_errors: problemsOf(file) };
  });

  for (const [edge, from, to] of [
    ['publish', 'DRAFT', 'PUBLISHED'],
    ['deprecate', 'PUBLISHED', 'DEPRECATED'],
  ] as const) {
    graph('POST', `/:id/${edge}`, options, (request, id) => {
      const flow = visibleFlow(platform, id, tokenOf(request));
      if (flow.status !== from || (to === 'PUBLISHED' && flow.json === null)) {
        throw new GraphError(139002, { message: '(#139002) Publishing failed' });
      }
      flow.status = to;
      return { success: true };
    });
  }
}

/** Reads, changes or deletes a flow by its id; undefined if the id names no flow. */
export function flowCall(platform: Platform, request: FastifyRequest, id: string): JsonObject | undefined {
  if (!platform.edges.flows.has(id)) return undefined;
  const flow = visibleFlow(platform, id, tokenOf(request), request.method.toLowerCase());
  if (request.method === 'GET') return flowNode(flow, queryParameter(request, 'fields'));
  if (request.method === 'DELETE') {
    if (flow.status !== 'DRAFT') throw new GraphError(139004, { message: '(#139004) Only a draft can be deleted' });
    platform.edges.flows.delete(id);
    return { success: true };
  }
  const { name, categories, endpoint_uri } = parametersOf(request);
  flow.name = asString(name) ?? flow.name;
  flow.categories = categories ?? flow.categories;
  flow.endpointUri = asString(endpoint_uri) ?? flow.endpointUri;
  return { success: true };
}

function visibleFlow({ edges, world }: Platform, id: string, token: string, method?: string): Flow {
  const flow = edges.flows.get(id);
  if (flow === undefined) throw unknownObject(id, method);
  world.visibleWaba(flow.wabaId, token, method);
  return flow;
}

function flowNode(flow: Flow, fields: string | undefined): JsonObject {
  return selectFields(
    {
      name: flow.name,
      status: flow.status,
      categories: flow.categories,
      validation_errors: [],
      endpoint_uri: flow.endpointUri,
      preview: { preview_url: `https://business.example.com/wa/manage/flows/${flow.id}/preview` },
      whatsapp_business_account: { id: flow.wabaId },
      id: flow.id,
    },
    DEFAULTS,
    fields,
  );
}

function problemsOf(json: Buffer): JsonObject[] {
  try {
    JSON.parse(json.toString('utf8'));
    return [];
  } catch {
    return [{ error: 'INVALID_JSON', error_type: 'JSON_SCHEMA_ERROR', message: 'The file is not valid JSON.' }];
  }
}
