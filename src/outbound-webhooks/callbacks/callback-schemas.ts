import { Type } from 'typebox';
import { commonErrors, errorSchema } from '../../http/index.ts';
import { TAGS } from '../schemas.ts';

const appId = Type.Object({ appId: Type.String({ description: 'Any id in digits that the client uses as its app.' }) });
const wabaId = Type.Object({ wabaId: Type.String({ description: 'The business account ID.' }) });
const NOT_PASSED =
  "Concerns endpoints of the organization alone: nothing is passed on, and the gateway's own webhooks stay as they are.";
const HANDSHAKE =
  'The address gets `GET` with `hub.mode`, `hub.challenge` and `hub.verify_token` first and must answer with the challenge. Its endpoint has ' +
  'the format `cloud_api`; deliveries are signed with the API key of this request as app secret.';
const done = Type.Object({ success: Type.Boolean() }, { description: 'Done.', examples: [{ success: true }] });
const absent = errorSchema('No such business account in the organization.', 'NOT_FOUND');
const noApp = errorSchema('The id of the app is not in digits.', 'NOT_FOUND');
const refused = errorSchema('A forbidden address, or a failed handshake.', 'VALIDATION_ERROR');
const full = errorSchema('The organization has too many endpoints.', 'CONFLICT');
const large = errorSchema('The body is larger than 1 MiB.', 'PAYLOAD_TOO_LARGE');
const slow = errorSchema('The request took too long to arrive.', 'REQUEST_TIMEOUT');
const verifyToken = Type.Optional(Type.String({ description: 'Sent as `hub.verify_token`.' }));

export const listSubscriptionsSchema = {
  operationId: 'listSubscriptions',
  summary: "List the webhook subscriptions of the client's app",
  description: NOT_PASSED,
  tags: TAGS,
  params: appId,
  response: {
    ...commonErrors,
    200: Type.Object(
      {
        data: Type.Array(
          Type.Object({
            object: Type.String(),
            callback_url: Type.String(),
            active: Type.Boolean(),
            fields: Type.Array(Type.Object({ name: Type.String(), version: Type.String() })),
          }),
        ),
      },
      {
        description: 'The subscriptions.',
        examples: [
          {
            data: [
              {
                object: 'whatsapp_business_account',
                callback_url: 'https://hooks.example.com/whatsapp',
                active: true,
                fields: [{ name: 'messages', version: 'v24.0' }],
              },
            ],
          },
        ],
      },
    ),
    404: noApp,
  },
};

export const subscribeSchema = {
  operationId: 'subscribe',
  summary: "Subscribe the client's app to webhooks",
  description: `Parameters come in the query, as JSON or as a form. ${HANDSHAKE} ${NOT_PASSED}`,
  tags: TAGS,
  params: appId,
  body: Type.Object(
    {
      object: Type.Literal('whatsapp_business_account'),
      callback_url: Type.String({ description: 'Address that receives the webhooks.' }),
      verify_token: verifyToken,
      fields: Type.Optional(
        Type.Union([Type.Array(Type.String()), Type.String()], {
          description: 'Webhook fields, as a list or separated by commas. Default: all that have events of their own.',
        }),
      ),
    },
    {
      examples: [
        {
          object: 'whatsapp_business_account',
          callback_url: 'https://hooks.example.com/whatsapp',
          verify_token: 'a word of the client',
          fields: ['messages'],
        },
      ],
    },
  ),
  response: { ...commonErrors, 200: done, 400: refused, 404: noApp, 408: slow, 409: full, 413: large },
};

export const endSubscriptionSchema = {
  operationId: 'unsubscribe',
  summary: "End the webhook subscription of the client's app",
  description: `With \`fields\`, only these end. ${NOT_PASSED}`,
  tags: TAGS,
  params: appId,
  querystring: Type.Object({
    object: Type.Optional(Type.String({ description: '`whatsapp_business_account`.' })),
    fields: Type.Optional(Type.String({ description: 'Webhook fields, separated by commas.' })),
  }),
  response: {
    ...commonErrors,
    200: done,
    400: errorSchema('Another object, or malformed fields.', 'VALIDATION_ERROR'),
    404: noApp,
  },
};

export const listSubscribedAppsSchema = {
  operationId: 'listSubscribedApps',
  summary: 'List the apps that the organization subscribed to a business account',
  description: NOT_PASSED,
  tags: TAGS,
  params: wabaId,
  response: {
    ...commonErrors,
    200: Type.Object(
      {
        data: Type.Array(
          Type.Object({
            whatsapp_business_api_data: Type.Object({ id: Type.String(), name: Type.String(), link: Type.String() }),
            override_callback_uri: Type.Optional(Type.String()),
          }),
        ),
      },
      {
        description: 'The subscriptions.',
        examples: [
          {
            data: [
              {
                whatsapp_business_api_data: { id: '0', name: 'Fairway', link: 'https://www.whatsapp.com/' },
                override_callback_uri: 'https://hooks.example.com/whatsapp',
              },
            ],
          },
        ],
      },
    ),
    404: absent,
  },
};

export const subscribeAppSchema = {
  operationId: 'subscribeApp',
  summary: 'Subscribe to the webhooks of a business account',
  description:
    `With \`override_callback_uri\`, webhooks about its messages go to this address. Without it, an earlier such address ends. ${HANDSHAKE} ` +
    NOT_PASSED,
  tags: TAGS,
  params: wabaId,
  body: Type.Object(
    {
      override_callback_uri: Type.Optional(Type.String({ description: 'Address that receives the webhooks.' })),
      verify_token: verifyToken,
    },
    {
      examples: [{ override_callback_uri: 'https://hooks.example.com/whatsapp', verify_token: 'a word of the client' }],
    },
  ),
  response: { ...commonErrors, 200: done, 400: refused, 404: absent, 408: slow, 409: full, 413: large },
};

export const endSubscribedAppSchema = {
  operationId: 'unsubscribeApp',
  summary: 'End the subscription to a business account',
  description: NOT_PASSED,
  tags: TAGS,
  params: wabaId,
  response: { ...commonErrors, 200: done, 404: absent },
};
