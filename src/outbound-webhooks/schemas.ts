import { Type } from 'typebox';
import { EVENT_TYPES } from '../events/index.ts';
import { commonErrors, errorSchema, NUMERIC_ID, named, nullableTime, ONE_LINE, OPTIONAL_BODY } from '../http/index.ts';

const EXAMPLE_ID = '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30';
export const EXAMPLE_EVENT_ID = 'evt_0199c0de7a3b7c1d9e5f2b8a4d6c1e300002';
export const TAGS = ['Webhooks'];
/** Most endpoints or deliveries per page. */
export const LIST_MAX = 100;
const RATE_MAX = 10_000;

/** Types that an endpoint can ask for. A test event goes to the endpoint it was requested for, whatever its filter says. */
const WANTABLE_TYPES = EVENT_TYPES.filter((type) => type !== 'webhook.test');

export const closed = { additionalProperties: false };
const text = (options: { description: string; max: number }) =>
  Type.String({
    maxLength: options.max,
    pattern: ONE_LINE,
    description: options.description,
  });
export const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const ids = (description: string) =>
  nullable(Type.Array(Type.String({ pattern: NUMERIC_ID }), { minItems: 1, maxItems: 500, description }));

const filters = {
  events: Type.Optional(
    nullable(
      Type.Array(Type.Enum(WANTABLE_TYPES), {
        minItems: 1,
        maxItems: 50,
        description: 'Types of event that are sent; all when null.',
      }),
    ),
  ),
  phone_number_ids: Type.Optional(ids('Only events of these numbers, and events that belong to no number; null: all.')),
  waba_ids: Type.Optional(
    ids('Only events of these business accounts, and events that belong to no account; null: all.'),
  ),
};
const url = text({
  max: 2048,
  description:
    'Address that receives the events: https, on a public address, port 443 or 8443. Redirects are failures.',
});
const description = Type.Optional(nullable(text({ max: 500, description: 'For people.' })));
const messageIds = Type.Optional(
  Type.Enum(['upstream', 'gateway'], {
    description:
      'Ids of sent messages in the format `cloud_api` (`statuses[].id`, and `context.id` and `reaction.message_id` ' +
      "of people's messages). `upstream`: the platform's own id. `gateway`: `messages[0].id` of the answer to the " +
      "send, for code that looks messages up by it, with the platform's id beside it as `wamid`. Default " +
      '`upstream`.',
  }),
);
const phoneNumbers = Type.Optional(
  Type.Enum(['upstream', 'e164'], {
    description:
      "Notation of people's numbers in the format `cloud_api` (`from`, `wa_id`, `recipient_id` and all others). " +
      '`upstream`: digits alone, as the platform writes them. `e164`: with the `+` that `to` needs, for code that ' +
      'answers to `from` unchanged. Code that compares numbers with `wa_id` of the answer to a send also needs the ' +
      "organization's setting `phone_numbers`. Default `upstream`.",
  }),
);
const ordered = Type.Optional(
  Type.Boolean({
    description:
      'One delivery at a time per conversation, in the order of events: a failing delivery holds up the next ones. ' +
      'Default false.',
  }),
);
const rate = Type.Optional(
  nullable(
    Type.Number({
      minimum: 0.01,
      maximum: RATE_MAX,
      description: 'Most deliveries per second; as fast as the endpoint answers when null.',
    }),
  ),
);

export const endpointBody = named(
  'WebhookEndpointRequest',
  Type.Object(
    {
      url,
      description,
      ...filters,
      format: Type.Optional(
        Type.Enum(['standard', 'cloud_api'], {
          description:
            "`standard`: Standard Webhooks 1.0.0. `cloud_api`: the platform's own payloads, signed like its webhooks; " +
            'only events that the platform has a webhook for. Default `standard`.',
        }),
      ),
      signing: Type.Optional(
        Type.Enum(['hmac', 'ed25519'], { description: '`ed25519` for the format `standard` only. Default `hmac`.' }),
      ),
      message_ids: messageIds,
      phone_numbers: phoneNumbers,
      ordered,
      rate_per_second: rate,
    },
    {
      ...closed,
      examples: [
        {
          url: 'https://hooks.example.com/fairway',
          events: ['message.delivered', 'message.failed', 'message.received'],
        },
      ],
    },
  ),
);

export const endpointPatchBody = named(
  'WebhookEndpointPatch',
  Type.Object(
    {
      url: Type.Optional(url),
      description,
      ...filters,
      message_ids: messageIds,
      phone_numbers: phoneNumbers,
      ordered,
      rate_per_second: rate,
      disabled: Type.Optional(Type.Literal(true, { description: 'Lets everything wait. `POST …/enable` undoes it.' })),
    },
    { ...closed, description: 'Absent members stay as they are.', examples: [{ events: null, rate_per_second: 50 }] },
  ),
);

export const enableBody = Type.Object(
  { rate_per_second: rate },
  {
    ...closed,
    description: "Optional: the endpoint's rate from now on, at which waiting deliveries go out.",
    examples: [{ rate_per_second: 20 }],
  },
);

export const rotateBody = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * 86_400,
        description: 'How long the old secret signs too. Default 86400.',
      }),
    ),
  },
  { ...closed, examples: [{ overlap_seconds: 86_400 }] },
);

const endpointMembers = {
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  description: nullable(Type.String()),
  events: nullable(Type.Array(Type.String())),
  phone_number_ids: nullable(Type.Array(Type.String())),
  waba_ids: nullable(Type.Array(Type.String())),
  format: Type.Enum(['standard', 'cloud_api']),
  signing: Type.Enum(['hmac', 'ed25519']),
  message_ids: Type.Enum(['upstream', 'gateway']),
  phone_numbers: Type.Enum(['upstream', 'e164']),
  ordered: Type.Boolean(),
  rate_per_second: nullable(Type.Number()),
  public_key: Type.Optional(
    Type.String({ description: '`whpk_…`, the key that verifies signatures; `ed25519` only.' }),
  ),
  status: Type.Enum(['enabled', 'failing', 'disabled'], {
    description: '`failing`: only probed, because ten attempts in a row have failed. Waiting deliveries are kept.',
  }),
  disabled_at: nullableTime,
  disabled_reason: nullable(
    Type.Enum(['owner', 'gone', 'failing'], {
      description: '`gone`: it answered 410. `failing`: every attempt of five days failed.',
    }),
  ),
  failing_since: nullableTime,
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
};

const exampleEndpoint = {
  id: EXAMPLE_ID,
  url: 'https://hooks.example.com/fairway',
  description: null,
  events: ['message.delivered', 'message.failed', 'message.received'],
  phone_number_ids: null,
  waba_ids: null,
  format: 'standard',
  signing: 'hmac',
  message_ids: 'upstream',
  phone_numbers: 'upstream',
  ordered: false,
  rate_per_second: null,
  status: 'enabled',
  disabled_at: null,
  disabled_reason: null,
  failing_since: null,
  created_at: '2026-11-02T10:00:00.000Z',
  updated_at: '2026-11-02T10:00:00.000Z',
};

const endpoint = named(
  'WebhookEndpoint',
  Type.Object(endpointMembers, { description: 'The endpoint.', examples: [exampleEndpoint] }),
);
const endpointWithSecret = named(
  'WebhookEndpointWithSecret',
  Type.Object(
    {
      ...endpointMembers,
      secret: Type.Optional(
        Type.String({
          description:
            'The secret that verifies signatures, shown only in this answer: `whsec_…`, or for `cloud_api` a text that ' +
            'serves as the app secret. Absent with `ed25519`, which `public_key` verifies.',
        }),
      ),
    },
    {
      description: 'The endpoint with its secret.',
      examples: [{ ...exampleEndpoint, secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=' }],
    },
  ),
);

export const next = Type.Union([Type.String(), Type.Null()], {
  description: 'The `cursor` of the next page; null at the end.',
});
export const endpointParams = Type.Object({ id: Type.String({ format: 'uuid' }) });
const invalid = errorSchema('The body or a parameter is invalid.', 'VALIDATION_ERROR');
const invalidId = errorSchema('The body, a parameter or the id is invalid.', 'VALIDATION_ERROR', 'INVALID_ID');
const notFound = errorSchema('No such endpoint in the organization.', 'NOT_FOUND');
export const ofEndpoint = { ...commonErrors, 400: invalidId, 404: notFound };

export const createEndpointSchema = {
  operationId: 'createWebhook',
  summary: 'Register a webhook endpoint',
  description: 'It receives every event from now on that its filters let through.',
  tags: TAGS,
  body: endpointBody,
  response: {
    ...commonErrors,
    201: endpointWithSecret,
    400: invalid,
    409: errorSchema('There are as many endpoints as there may be.', 'CONFLICT'),
  },
};

export const listEndpointsSchema = {
  operationId: 'listWebhooks',
  summary: 'List webhook endpoints',
  description: 'Lists the endpoints of the organization, newest first.',
  tags: TAGS,
  querystring: Type.Object({
    after: Type.Optional(Type.String({ description: '`next` of an earlier answer.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIST_MAX, default: 50 })),
  }),
  response: {
    ...commonErrors,
    200: Type.Object(
      { data: Type.Array(endpoint), next },
      { description: 'One page.', examples: [{ data: [exampleEndpoint], next: null }] },
    ),
    400: invalid,
  },
};

export const getEndpointSchema = {
  operationId: 'getWebhook',
  summary: 'Read a webhook endpoint',
  description: 'Returns the endpoint with its filters and its health, without its secret.',
  tags: TAGS,
  params: endpointParams,
  response: { ...ofEndpoint, 200: endpoint },
};

export const changeEndpointSchema = {
  operationId: 'updateWebhook',
  summary: 'Change a webhook endpoint',
  description: 'Changes the members that the body has. Events that wait already are delivered by the new settings.',
  tags: TAGS,
  params: endpointParams,
  body: endpointPatchBody,
  response: { ...ofEndpoint, 200: endpoint },
};

export const deleteEndpointSchema = {
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook endpoint',
  description: 'Its waiting deliveries are dropped.',
  tags: TAGS,
  params: endpointParams,
  response: { ...ofEndpoint, 204: Type.Null({ description: 'The endpoint is deleted.' }) },
};

export const enableEndpointSchema = {
  operationId: 'enableWebhook',
  summary: 'Enable a webhook endpoint',
  description: 'Its waiting deliveries go out; those that failed before are tried at once.',
  tags: TAGS,
  params: endpointParams,
  body: enableBody,
  ...OPTIONAL_BODY,
  response: { ...ofEndpoint, 200: endpoint },
};

export const testEndpointSchema = {
  operationId: 'testWebhook',
  summary: 'Send a test event to a webhook endpoint',
  description:
    'Sends a `webhook.test` event to this endpoint alone, regardless of its filters; in the format `cloud_api` ' +
    'it is the status of a message that was never sent. The deliveries of the endpoint show the result.',
  tags: TAGS,
  params: endpointParams,
  response: {
    ...ofEndpoint,
    202: Type.Object(
      { event_id: Type.String() },
      { description: 'It is on its way.', examples: [{ event_id: EXAMPLE_EVENT_ID }] },
    ),
    409: errorSchema('The endpoint is disabled.', 'CONFLICT'),
  },
};

export const rotateSecretSchema = {
  operationId: 'rotateWebhookSecret',
  summary: 'Give a webhook endpoint a new secret',
  description:
    'Both secrets sign during the overlap: `webhook-signature` has two signatures. In the format `cloud_api`, ' +
    '`X-Hub-Signature-256` keeps the old secret during the overlap, and `X-Hub-Signature-256-Next` has the new ' +
    'one. Another rotation within the overlap ends the older secret at once.',
  tags: TAGS,
  params: endpointParams,
  body: rotateBody,
  ...OPTIONAL_BODY,
  response: { ...ofEndpoint, 200: endpointWithSecret },
};
