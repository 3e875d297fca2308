import { Type } from 'typebox';
import { adminErrors, errorSchema, NUMERIC_ID, named, nullableText, ONE_LINE, PRINTABLE } from '../http/index.ts';

const TAGS = ['Apps'];

const errors = { ...adminErrors, 400: errorSchema('The body or a parameter is invalid.', 'VALIDATION_ERROR') };
const onAppErrors = { ...errors, 404: errorSchema('No such app.', 'NOT_FOUND') };
const params = Type.Object({ app_id: Type.String() });

const name = Type.String({ minLength: 1, maxLength: 200, pattern: ONE_LINE });
const secret = Type.String({ minLength: 1, maxLength: 200, pattern: PRINTABLE });
const secrets = Type.Array(secret, {
  minItems: 1,
  maxItems: 2,
  description:
    'One secret, or two during a rotation. Webhooks may be signed with either; the first one proves calls. Stored sealed.',
});
const verifyToken = Type.String({
  minLength: 16,
  maxLength: 200,
  pattern: PRINTABLE,
  description: 'The token that the platform presents when it verifies the webhook address of the app. Stored sealed.',
});
const secretProof = Type.Boolean({
  description: 'True if the app has *Require App Secret* on: each call carries a proof of the first secret.',
});
const signupConfiguration = Type.Union(
  [Type.String({ minLength: 1, maxLength: 64, pattern: PRINTABLE }), Type.Null()],
  {
    description: 'Configuration of Facebook Login for Business, for Embedded Signup.',
  },
);

export const appBody = named(
  'AppRequest',
  Type.Object(
    {
      app_id: Type.String({ pattern: NUMERIC_ID, maxLength: 20, description: "The platform's id of the app." }),
      name,
      secrets,
      verify_token: verifyToken,
      secret_proof: Type.Optional(secretProof),
      signup_configuration_id: Type.Optional(signupConfiguration),
    },
    {
      additionalProperties: false,
      examples: [
        {
          app_id: '660011223344',
          name: 'Agency app',
          secrets: ['0123456789abcdef0123456789abcdef'],
          verify_token: 'a-long-random-verify-token',
        },
      ],
    },
  ),
);

export const appPatchBody = named(
  'AppPatch',
  Type.Object(
    {
      name: Type.Optional(name),
      secrets: Type.Optional(secrets),
      verify_token: Type.Optional(verifyToken),
      secret_proof: Type.Optional(secretProof),
      signup_configuration_id: Type.Optional(signupConfiguration),
    },
    {
      additionalProperties: false,
      description: 'Absent members stay as they are.',
      examples: [{ secrets: ['fedcba9876543210fedcba9876543210', '0123456789abcdef0123456789abcdef'] }],
    },
  ),
);

const example = {
  app_id: '660011223344',
  name: 'Agency app',
  secrets: 1,
  secret_proof: false,
  signup_configuration_id: null,
  created_at: '2026-11-01T09:30:00.000Z',
  secrets_changed_at: '2026-11-01T09:30:00.000Z',
};

const metaApp = named(
  'MetaApp',
  Type.Object(
    {
      app_id: Type.String(),
      name: Type.String(),
      secrets: Type.Integer({ description: 'Number of its secrets. No answer has a secret itself.' }),
      secret_proof: Type.Boolean(),
      signup_configuration_id: nullableText,
      created_at: Type.String({ format: 'date-time' }),
      secrets_changed_at: Type.String({
        format: 'date-time',
        description: 'Time of the last change of the secrets or the verify token.',
      }),
    },
    { description: 'The app.', examples: [example] },
  ),
);

const appList = Type.Object(
  {
    default_app_id: Type.Union([Type.String(), Type.Null()], {
      description: 'The app of `UPSTREAM_APP_ID`, which is not in the list; null if it is not set.',
    }),
    data: Type.Array(metaApp),
  },
  { description: 'All further apps.', examples: [{ default_app_id: '880011223344', data: [example] }] },
);

export const createAppSchema = {
  operationId: 'createApp',
  summary: 'Add a Meta app',
  description:
    'Adds an app beside the one of `UPSTREAM_APP_ID`. Set its webhook address at the platform to `/webhooks/upstream/{app_id}` of this ' +
    'gateway. At most 100 apps.',
  tags: TAGS,
  body: appBody,
  response: {
    201: metaApp,
    ...errors,
    409: errorSchema('There is such an app already, or there are 100 apps.', 'CONFLICT'),
  },
};

export const listAppsSchema = {
  operationId: 'listApps',
  summary: 'List the Meta apps',
  description: 'The further apps, oldest first, and the id of the app of the environment.',
  tags: TAGS,
  response: { 200: appList, ...adminErrors },
};

export const getAppSchema = {
  operationId: 'getApp',
  summary: 'Read a Meta app',
  description: 'Returns one further app.',
  tags: TAGS,
  params,
  response: { 200: metaApp, ...onAppErrors },
};

export const updateAppSchema = {
  operationId: 'updateApp',
  summary: 'Change a Meta app',
  description:
    'Takes effect on every node within a second. To rotate a secret, set the new and the present one, change it at the platform, then set ' +
    'the new one alone.',
  tags: TAGS,
  params,
  body: appPatchBody,
  response: { 200: metaApp, ...onAppErrors },
};

export const deleteAppSchema = {
  operationId: 'deleteApp',
  summary: 'Delete a Meta app',
  description: 'From then on, its webhooks are refused on every node within a second.',
  tags: TAGS,
  params,
  response: {
    204: Type.Null({ description: 'Deleted.' }),
    ...onAppErrors,
    409: errorSchema('Business accounts, onboardings or set-up links have this app.', 'CONFLICT'),
  },
};
