import type { FastifyInstance, FastifyRequest } from 'fastify';
import { graphCalls } from '../graph/graph-calls.ts';
import { invalidParameter } from '../graph/graph-errors.ts';
import { queryParameter, tokenOf } from '../graph/graph-request.ts';
import { asString, type JsonObject } from '../graph/json-object.ts';
import { pageOf } from '../graph/paging.ts';
import type { Platform } from '../platform.ts';
import { parametersOf, requiredText } from './parameters.ts';

const FIGURES = [
  'analytics',
  'conversation_analytics',
  'pricing_analytics',
  'call_analytics',
  'template_analytics',
  'template_group_analytics',
];

/** Registers figures, template extras, sign-ups and the platform's records of messages. */
export function registerAccountEdgeRoutes(app: FastifyInstance, platform: Platform): void {
  const { world, edges, sends, ids } = platform;
  const graph = graphCalls(app, platform);
  const options = { endpoint: 'accounts', isManagement: true } as const;

  for (const edge of FIGURES) {
    graph('GET', `/:id/${edge}`, options, (request, id) => {
      world.visibleWaba(id, tokenOf(request), 'get');
      const [start, end] = ['start', 'end'].map((name) => Number(queryParameter(request, name)));
      if (!Number.isFinite(start) || !Number.isFinite(end)) throw invalidParameter('The parameter start is required.');
      return { data: [{ data_points: [{ start, end, sent: sentBy(platform, id) }] }] };
    });
  }

  graph('GET', '/:id/message_template_previews', options, (request, id) => {
    world.visibleWaba(id, tokenOf(request), 'get');
    const languages = (queryParameter(request, 'languages') ?? 'en_US').split(',');
    return { data: languages.map((language) => ({ body: '*{{1}}* is your verification code.', language })) };
  });

  graph('POST', '/:id/upsert_message_templates', options, (request, id) => {
    world.visibleWaba(id, tokenOf(request));
    const { name, category, languages, components } = parametersOf(request);
    if (category !== 'AUTHENTICATION') throw invalidParameter('Only authentication templates can be upserted.');
    const made = (Array.isArray(languages) ? languages.map(String) : []).map((language) =>
      world.addTemplate(id, {
        name: String(name),
        language,
        category: 'AUTHENTICATION',
        components: Array.isArray(components) ? (components as JsonObject[]) : [{ type: 'BODY' }],
      }),
    );
    return {
      data: made.map((template) => ({ id: template.id, status: template.status, language: template.language })),
    };
  });

  graph('GET', '/:id/compare', { endpoint: 'templates', isManagement: true }, (request, id) => {
    const token = tokenOf(request);
    const others = (queryParameter(request, 'template_ids') ?? '').match(/\d+/g) ?? [];
    const compared = [id, ...others].map((one) => world.visibleTemplate(one, token, 'get').id);
    return {
      data: [
        { metric: 'MESSAGE_SENDS', type: 'NUMBER_VALUES', number_values: compared.map((key) => ({ key, value: 0 })) },
      ],
    };
  });

  graph('GET', '/:id/signups', options, (request, wabaId) => {
    world.visibleWaba(wabaId, tokenOf(request), 'get');
    const signups = [...edges.signups.values()].filter((signup) => signup.wabaId === wabaId);
    return pageOf(signups, request, ({ id }) => ({ id }));
  });
  graph('POST', '/:id/signups', options, (request, wabaId) => {
    world.visibleWaba(wabaId, tokenOf(request));
    const id = ids.objectId();
    edges.signups.set(id, { id, wabaId, members: { name: requiredText(parametersOf(request), 'name') } });
    return { id };
  });

  graph('GET', '/:id/message_history', { endpoint: 'numbers', isManagement: true }, (request, id) => {
    world.visibleNumber(id, tokenOf(request), 'get');
    const messageId = queryParameter(request, 'message_id');
    const records = sends
      .list({ phoneNumberId: id })
      .flatMap(({ outcome, sequence }) =>
        outcome.kind === 'accepted' && (messageId === undefined || outcome.wamid === messageId)
          ? [{ id: `9${id}${sequence}`, message_id: outcome.wamid }]
          : [],
      );
    return pageOf(records, request, (record) => record);
  });
  graph('GET', '/:id/events', { endpoint: 'numbers', isManagement: true }, (request) => {
    if (!world.isToken(tokenOf(request))) throw invalidParameter('The token is not valid.');
    return { data: [{ id: '1', delivery_status: 'SENT' }] };
  });
}

/** Reads a sign-up by its id; undefined if the id names none. */
export function signupCall({ edges, world }: Platform, request: FastifyRequest, id: string): JsonObject | undefined {
  const signup = edges.signups.get(id);
  if (signup === undefined) return undefined;
  world.visibleWaba(signup.wabaId, tokenOf(request), 'get');
  return { id, ...signup.members };
}

/** Changes members of an account. */
export function changeAccount({ world }: Platform, request: FastifyRequest, id: string): JsonObject {
  const waba = world.visibleWaba(id, tokenOf(request));
  const { name, is_enabled_for_insights: insights } = parametersOf(request);
  if (asString(name) !== undefined) waba.attributes.name = name;
  if (insights !== undefined) waba.attributes.is_enabled_for_insights = insights;
  return { success: true };
}

function sentBy({ world, sends }: Platform, wabaId: string): number {
  const numbers = world.listNumbers(wabaId).map(({ id }) => sends.list({ phoneNumberId: id, outcome: 'accepted' }));
  return numbers.reduce((sum, accepted) => sum + accepted.length, 0);
}
