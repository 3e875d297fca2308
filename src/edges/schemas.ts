import { type TSchema, Type } from 'typebox';
import { commonErrors, errorSchema } from '../http/index.ts';
import type { Edge, IdKind } from './table/edge.ts';
import { PARAMETER_OF } from './table/edge-table.ts';

const open = { additionalProperties: true };

const DESCRIPTION_OF: Record<IdKind, string> = {
  number: "The platform's id of the number.",
  account: 'The business account ID.',
  flow: "The flow's id.",
  group: "The group's id.",
  template: "The template's id.",
  signup: "The sign-up's id.",
  history: "The id of the platform's record.",
};

const TEXT_OF: Partial<Record<string, string>> = {
  after: '`paging.cursors.after` of an earlier answer.',
  before: '`paging.cursors.before` of an earlier answer.',
};

/** The platform's refusals, which are passed on with its own status. */
export const platformRefusal = {
  default: {
    description: "The platform's own refusal, word for word.",
    content: {
      'application/json': {
        schema: Type.Object({ error: Type.Object({ message: Type.String(), code: Type.Integer() }, open) }, open),
        example: {
          error: { message: '(#100) Invalid parameter', type: 'OAuthException', code: 100, fbtrace_id: 'A1' },
        },
      },
    },
  },
};

/** Returns the description of the platform's answer. */
export function passedAnswer(example: object): TSchema {
  return Type.Object({}, { ...open, description: "The platform's answer.", examples: [example] });
}

/** Returns the responses of a node's route: its own, and those of calls that are passed on. */
export function withPassedAnswers<Responses extends Record<string | number, unknown>>(responses: Responses): object {
  const { 200: own, ...others } = responses;
  const { description, examples } = own as { description?: string; examples?: unknown[] };
  const passed = Type.Object({}, { ...open, description: "The platform's answer about another object." });
  return {
    400: errorSchema('A body or a parameter that must not pass.', 'VALIDATION_ERROR'),
    422: errorSchema("The platform refuses the gateway's token.", 'PROVIDER_REJECTED'),
    ...others,
    ...platformRefusal,
    200: Type.Union([own as TSchema, passed], { description: description ?? 'Done.', examples: examples ?? [] }),
  };
}

/** Returns the description of a route for the OpenAPI file. */
export function edgeSchema(edge: Edge): object {
  const { method, of, path, name, tag, summary, budget, query, fields, example } = edge;
  const absent = of === 'number' ? 'ACCOUNT_NOT_FOUND' : 'NOT_FOUND';
  const isForm = edge.body.formFields !== undefined && example.body === undefined;
  return {
    operationId: name,
    summary,
    description:
      `Passed on to the platform's \`${method} /{${PARAMETER_OF[of]}}/${path.replace(':code', '{code}')}\`; the answer is the platform's own. ` +
      (budget === 'management'
        ? 'Counts against the hourly calls of the business account.'
        : 'Goes to the platform at once.'),
    tags: [tag],
    params: Type.Object({
      [PARAMETER_OF[of]]: Type.String({ description: DESCRIPTION_OF[of] }),
      ...(path.includes(':code') && { code: Type.String({ description: 'The code.' }) }),
    }),
    ...querySchema(query, fields),
    ...(isForm && { consumes: ['multipart/form-data'] }),
    ...bodySchema(edge, isForm),
    response: {
      ...commonErrors,
      200: passedAnswer(example.answer),
      ...platformRefusal,
      400: errorSchema('A body or a parameter that must not pass.', 'VALIDATION_ERROR'),
      404: errorSchema(
        'The organization has no such object.',
        ...(edge.named.length > 0 && of === 'number' ? ([absent, 'NOT_FOUND'] as const) : ([absent] as const)),
      ),
      422: errorSchema("The platform refuses the gateway's token.", 'PROVIDER_REJECTED'),
      429: errorSchema(
        "Too many requests, or the business account's calls of the hour are used up; see `Retry-After`.",
        'RATE_LIMITED',
      ),
      503: errorSchema('The platform could not be reached, or gave no answer in time.', 'UNAVAILABLE'),
    },
  };
}

function querySchema(query: readonly string[], fields: readonly string[] | undefined): { querystring?: TSchema } {
  if (query.length === 0 && fields === undefined) return {};
  const parameters = query.map((name) => [
    name,
    Type.Optional(
      name === 'limit'
        ? Type.Integer({ minimum: 1, default: 25, description: 'Most items of a page.' })
        : Type.String({ description: TEXT_OF[name] ?? "As the platform's." }),
    ),
  ]);
  return {
    querystring: Type.Object({
      ...Object.fromEntries(parameters),
      ...(fields !== undefined && {
        fields: Type.Optional(Type.String({ description: `Members to show, comma separated: ${fields.join(', ')}.` })),
      }),
    }),
  };
}

function bodySchema({ method, body, example }: Edge, isForm: boolean): object {
  if (method === 'GET') return {};
  if (isForm) {
    const fields = (body.formFields ?? []).map((name) => [
      name,
      Type.Optional(name === 'file' ? Type.Unsafe({ type: 'string', format: 'binary' }) : Type.String()),
    ]);
    return {
      body: Type.Object(Object.fromEntries(fields), { examples: [{ name: 'flow.json', asset_type: 'FLOW_JSON' }] }),
    };
  }
  if (example.body === undefined) return {};
  return { body: Type.Object({}, { ...open, description: "The platform's own body.", examples: [example.body] }) };
}
