import { Type } from 'typebox';
import { adminErrors, errorSchema, named, PRINTABLE } from '../http/index.ts';
import { MARKETING_MESSAGES } from '../organizations/index.ts';

export const TAGS = ['Accounts'];

export const errors = {
  ...adminErrors,
  400: errorSchema('The body or a parameter is invalid.', 'VALIDATION_ERROR'),
  503: errorSchema('The platform or the database cannot be reached; see `Retry-After`.', 'UNAVAILABLE'),
};
const upstreamErrors = {
  409: errorSchema(
    'The business account is connected to another organization, or one of its numbers is and the platform still ' +
      'lists it there. Or the account was disconnected during the call.',
    'CONFLICT',
  ),
  422: errorSchema('The platform refused; `provider_error` has its words.', 'PROVIDER_REJECTED'),
};

export const connectBody = named(
  'ConnectAccountRequest',
  Type.Object(
    {
      waba_id: Type.String({ minLength: 1, maxLength: 64, description: "The platform's id of the business account." }),
      access_token: Type.String({
        minLength: 1,
        maxLength: 4096,
        pattern: PRINTABLE,
        description: 'A token that may manage the account and send from its numbers. Stored sealed, never shown.',
      }),
      app_id: Type.Optional(
        Type.Union([Type.String({ minLength: 1, maxLength: 20 }), Type.Null()], {
          description:
            'The Meta app that the token belongs to; null stands for that of `UPSTREAM_APP_ID`. Absent, the gateway asks the platform, and ' +
            'keeps the present app if the platform names none of its apps.',
        }),
      ),
    },
    { additionalProperties: false, examples: [{ waba_id: '102290129340398', access_token: 'EAAJBexample' }] },
  ),
);

const connectedNumber = Type.Object({
  account_id: Type.String({ format: 'uuid' }),
  phone_number_id: Type.String(),
  phone_number: Type.String({ description: 'Digits with country code.' }),
  registered: Type.Boolean({ description: 'True if it can send.' }),
  webhook_override: Type.Union(
    [
      Type.Object({
        level: Type.Union([Type.Literal('phone_number'), Type.Literal('whatsapp_business_account')], {
          description: 'Level of the setting at the platform that applies.',
        }),
        url: Type.Union([Type.String(), Type.Null()], {
          description: 'Their receiver: origin and path of the address.',
        }),
      }),
      Type.Null(),
    ],
    {
      description:
        'There when an override at the platform sends the webhooks of the number elsewhere: its statuses and messages do not arrive. ' +
        'As it was when the business account was last read.',
    },
  ),
});

export const webhooksSubscribed = Type.Union([Type.Boolean(), Type.Null()], {
  description:
    'True if the app is subscribed to the webhooks of the business account; otherwise none arrives. Null if the ' +
    'platform has not reported it.',
});

export const appId = Type.Union([Type.String(), Type.Null()], {
  description:
    'The Meta app that its token belongs to; null if that is the app of the environment and `UPSTREAM_APP_ID` is not set.',
});

export const marketingUse = named(
  'MarketingUse',
  Type.Object(
    {
      setting: Type.Union([Type.Enum(MARKETING_MESSAGES), Type.Null()], {
        description: "The business account's own setting; null takes the organization's.",
      }),
      in_force: Type.Enum(MARKETING_MESSAGES, { description: 'The setting that applies.' }),
      onboarding_status: Type.Union([Type.String(), Type.Null()], {
        description:
          "The platform's `marketing_messages_onboarding_status`; with `auto`, `ONBOARDED` accounts send marketing " +
          'templates to `/marketing_messages`. Null if it was never read.',
      }),
    },
    { description: "Use of the platform's `/marketing_messages` for marketing templates." },
  ),
);
export const exampleUse = { setting: null, in_force: 'auto', onboarding_status: 'ONBOARDED' };

export const listedNumber = named(
  'ListedNumber',
  Type.Object({
    ...connectedNumber.properties,
    paused: Type.Boolean(),
    parked: Type.Union([Type.Object({ code: Type.String(), reason: Type.String() }), Type.Null()], {
      description:
        'Reason for which its queue waits until its business account is connected or read again; null if it does not ' +
        'wait. A reason that the platform has reported about the account or number (`ACCOUNT_…`) ends with the ' +
        "platform's report, or with a new connect.",
    }),
  }),
);

export const exampleNumber = {
  account_id: '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
  phone_number_id: '106540352242922',
  phone_number: '15550783881',
  registered: true,
  webhook_override: null,
};

const connectedWaba = named(
  'BusinessAccount',
  Type.Object(
    {
      waba_id: Type.String(),
      app_id: appId,
      webhooks_subscribed: webhooksSubscribed,
      numbers: Type.Array(connectedNumber),
      templates: Type.Integer({ description: 'How many were read.' }),
    },
    {
      description: 'The business account as it was just read.',
      examples: [
        {
          waba_id: '102290129340398',
          app_id: '880011223344',
          webhooks_subscribed: true,
          numbers: [exampleNumber],
          templates: 12,
        },
      ],
    },
  ),
);

export const wabaPatchBody = named(
  'BusinessAccountPatch',
  Type.Object(
    {
      marketing_messages: Type.Optional(
        Type.Union([Type.Enum(MARKETING_MESSAGES), Type.Null()], {
          description: "The business account's own setting; `null` takes the organization's.",
        }),
      ),
      app_id: Type.Optional(
        Type.Union([Type.String({ minLength: 1, maxLength: 20 }), Type.Null()], {
          description: 'The Meta app that its token belongs to; `null` stands for that of `UPSTREAM_APP_ID`.',
        }),
      ),
    },
    {
      additionalProperties: false,
      description: 'Absent members stay as they are.',
      examples: [{ marketing_messages: 'on' }],
    },
  ),
);

const changedWaba = Type.Object(
  { waba_id: Type.String(), app_id: appId, marketing_messages: marketingUse },
  {
    description: 'The business account.',
    examples: [
      {
        waba_id: '102290129340398',
        app_id: '880011223344',
        marketing_messages: { ...exampleUse, setting: 'on', in_force: 'on' },
      },
    ],
  },
);

export const numberPatchBody = named(
  'NumberPatch',
  Type.Object(
    {
      messages_per_second: Type.Optional(
        Type.Unsafe<number | null>({
          type: ['number', 'null'],
          minimum: 0.01,
          maximum: 10_000,
          description: "The number's pace; `null` follows the platform's.",
        }),
      ),
      paused: Type.Optional(Type.Boolean({ description: 'A paused number keeps its queue.' })),
    },
    { additionalProperties: false, description: 'Absent members stay as they are.', examples: [{ paused: true }] },
  ),
);

const number = named(
  'SendingNumber',
  Type.Object(
    {
      ...listedNumber.properties,
      organization_id: Type.String({ format: 'uuid' }),
      waba_id: Type.String(),
      verified_name: Type.Union([Type.String(), Type.Null()]),
      status: Type.Union([Type.String(), Type.Null()], { description: "The platform's word for its state." }),
      quality_rating: Type.Union([Type.String(), Type.Null()]),
      messages_per_second: Type.Number({ description: 'The pace in effect.' }),
    },
    {
      description: 'The number.',
      examples: [
        {
          ...exampleNumber,
          organization_id: '0199c0de-0000-7c1d-9e5f-2b8a4d6c1e30',
          waba_id: '102290129340398',
          verified_name: 'Example Ltd',
          status: 'CONNECTED',
          quality_rating: 'GREEN',
          messages_per_second: 80,
          paused: true,
          parked: null,
        },
      ],
    },
  ),
);

export const connectWabaSchema = {
  operationId: 'connectWaba',
  summary: 'Connect a business account',
  description:
    'Subscribes to its webhooks, which ends an override that the app has set on the account. Reads its numbers ' +
    'and templates, stores its token, and reports anything that keeps the webhooks of a number away. A repeated ' +
    'call refreshes all of this and resumes numbers that were parked because of the old token. A number that has ' +
    "left another organization's business account at the platform moves to this one; the other organization " +
    'loses it as by disconnecting.',
  tags: TAGS,
  params: Type.Object({ org_id: Type.String({ format: 'uuid' }) }),
  body: connectBody,
  response: {
    201: connectedWaba,
    ...errors,
    404: errorSchema('No such organization.', 'NOT_FOUND'),
    ...upstreamErrors,
  },
};

export const syncWabaSchema = {
  operationId: 'syncWaba',
  summary: 'Read a business account again',
  description: 'Updates numbers and templates from the platform, and resumes numbers that were parked after a refusal.',
  tags: TAGS,
  params: Type.Object({ waba_id: Type.String() }),
  response: {
    200: connectedWaba,
    ...errors,
    404: errorSchema('No such business account.', 'NOT_FOUND'),
    ...upstreamErrors,
  },
};

export const patchWabaSchema = {
  operationId: 'updateWaba',
  summary: 'Change the settings of a business account',
  description:
    'Chooses where its marketing templates go, and the Meta app that its token belongs to. Takes effect on every node within a second. A message whose last attempt ' +
    'has an unknown outcome is not sent to the other edge: it fails as `UNKNOWN_OUTCOME`.',
  tags: TAGS,
  params: Type.Object({ waba_id: Type.String() }),
  body: wabaPatchBody,
  response: { 200: changedWaba, ...errors, 404: errorSchema('No such business account.', 'NOT_FOUND') },
};

export const disconnectWabaSchema = {
  operationId: 'disconnectWaba',
  summary: 'Disconnect a business account',
  description:
    'Within a second, its numbers accept and send nothing more on any node; waiting messages fail with ' +
    '`CANCELLED`. Deletes its token and templates, and unsubscribes from its webhooks if the platform answers ' +
    'within five seconds. Stored messages stay with the organization. Afterwards any organization can connect ' +
    'the account as for the first time.',
  tags: TAGS,
  params: Type.Object({ waba_id: Type.String() }),
  response: {
    204: Type.Null({ description: 'Disconnected.' }),
    ...errors,
    400: errorSchema('This cannot be an id of a business account.', 'VALIDATION_ERROR'),
    404: errorSchema('No such business account.', 'NOT_FOUND'),
    503: adminErrors[503],
  },
};

export const patchNumberSchema = {
  operationId: 'updateNumber',
  summary: 'Change the pace of a number, pause or resume it',
  description: 'Takes effect on every node within a second.',
  tags: TAGS,
  params: Type.Object({ phone_number_id: Type.String() }),
  body: numberPatchBody,
  response: { 200: number, ...errors, 404: errorSchema('No such number.', 'ACCOUNT_NOT_FOUND') },
};
