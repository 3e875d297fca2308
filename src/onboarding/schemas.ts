import { Type } from 'typebox';
import { RECIPIENT_PATTERN } from '../core/phone-number.ts';
import {
  adminErrors,
  errorSchema,
  NUMERIC_ID,
  named,
  nullableText,
  nullableTime,
  ONE_LINE,
  OPTIONAL_BODY,
  PIN,
  PRINTABLE,
  VERIFICATION_CODE,
} from '../http/index.ts';
import { ONBOARDING_STATES, STEP_STATES, STEPS } from './steps.ts';

export const TAGS = ['Onboarding'];
export const ONBOARDINGS_PER_PAGE_MAX = 100;

const errors = {
  ...adminErrors,
  400: errorSchema('The body or a parameter is invalid.', 'VALIDATION_ERROR'),
  404: errorSchema('No such organization, onboarding or step.', 'NOT_FOUND'),
};
const inProgress = errorSchema('A step is in progress, or the onboarding has ended.', 'CONFLICT');

export const organizationParams = Type.Object({ org_id: Type.String({ format: 'uuid' }) });
export const idParams = Type.Object({ org_id: Type.String({ format: 'uuid' }), id: Type.String({ format: 'uuid' }) });

const code = Type.String({
  ...{ minLength: 1, maxLength: 4096, pattern: PRINTABLE },
  description: 'Code of a sign-up. It is exchanged at once, because it lives for 30 seconds.',
});
const platformId = (description: string) => Type.String({ pattern: NUMERIC_ID, description });

/** The Meta app, as a request names it. */
export const chosenApp = Type.Optional(
  Type.Union([Type.String({ minLength: 1, maxLength: 20 }), Type.Null()], {
    description:
      'The Meta app by which the account is shared, or to which the token belongs; null stands for that of `UPSTREAM_APP_ID`. Absent, it ' +
      'is that of `UPSTREAM_APP_ID`, or the further app that the platform names for the token.',
  }),
);
export const shownApp = {
  ...nullableText,
  description: 'The Meta app; null if it is the app of the environment and `UPSTREAM_APP_ID` is not set.',
};

/** Members that say how the test message goes out. */
export const testMembers = {
  test_recipient: Type.Optional(
    Type.String({
      pattern: RECIPIENT_PATTERN,
      description: 'Recipient of the test message. Without one, none is sent.',
    }),
  ),
  template: Type.Optional(
    Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 512, pattern: ONE_LINE }),
        language: Type.String({ minLength: 1, maxLength: 16, pattern: ONE_LINE }),
      },
      { additionalProperties: false, description: 'Template of the test message; `hello_world` in `en_US` if absent.' },
    ),
  ),
};

const givenMembers = {
  app_id: chosenApp,
  access_token: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: 4096, pattern: PRINTABLE },
      description: 'A token that may manage the account and send from its numbers. Stored sealed, never shown.',
    }),
  ),
  code: Type.Optional(code),
  redirect_uri: Type.Optional(
    Type.String({ maxLength: 2000, pattern: PRINTABLE, description: 'Address to which the dialog returned the code.' }),
  ),
  waba_id: Type.Optional(platformId('The business account, if the token reaches several.')),
  phone_number_id: Type.Optional(platformId('The number, if the account has several.')),
  pin: Type.Optional(
    Type.String({
      pattern: PIN,
      description: "The number's PIN of two-step verification. Without one, the gateway makes one if it registers it.",
    }),
  ),
  ...testMembers,
};

export const onboardingBody = named(
  'OnboardingRequest',
  Type.Object(givenMembers, {
    additionalProperties: false,
    description: 'Either `access_token` or `code`.',
    examples: [{ access_token: 'EAAJBexample', test_recipient: '+15550783881' }],
  }),
);

export const repeatBody = named(
  'OnboardingRepeat',
  Type.Object(
    {
      ...givenMembers,
      replace_callback: Type.Optional(
        Type.Boolean({ description: "Takes the app's webhooks from the address they go to." }),
      ),
      request_code: Type.Optional(
        Type.Union([Type.Literal('SMS'), Type.Literal('VOICE')], {
          description: 'With `verify_number`: has the platform send a code to the number.',
        }),
      ),
      verification_code: Type.Optional(
        Type.String({
          pattern: VERIFICATION_CODE,
          description: 'With `verify_number`: the code that the number received.',
        }),
      ),
    },
    {
      additionalProperties: false,
      description: 'Values that replace those of the onboarding.',
      examples: [{ pin: '482913' }],
    },
  ),
);

const step = Type.Object({
  step: Type.Enum(STEPS, { description: 'The step.' }),
  state: Type.Enum(STEP_STATES),
  at: { ...nullableTime, description: 'Time of the last change; null if the step has not begun.' },
  message: { ...nullableText, description: 'The facts that the step found.' },
  code: { ...nullableText, description: "The platform's or the gateway's code of the fault." },
  advice: { ...nullableText, description: 'The next action of a person.' },
  choices: Type.Array(Type.Object({ id: Type.String(), label: Type.String() }), {
    description: 'Accounts or numbers to choose from, by `waba_id` or `phone_number_id` of a repeat.',
  }),
});

const example = {
  ...{ id: '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30', organization_id: '0199c0de-0000-7000-8000-000000000001' },
  ...{ setup_link_id: null, created_at: '2026-11-02T10:00:00.000Z', updated_at: '2026-11-02T10:00:02.000Z' },
  ...{ state: 'failed', app_id: '880011223344', waba_id: null, phone_number_id: null, test_recipient: '+15550783881' },
  ...{ template: { name: 'hello_world', language: 'en_US' }, message_id: null, has_pin: false },
  steps: [
    {
      ...{ step: 'check_token', state: 'failed', at: '2026-11-02T10:00:02.000Z', code: '200', choices: [] },
      message: 'The token lacks the permission whatsapp_business_messaging.',
      advice:
        "Add it to the configuration of the sign-up, or to the system user's token. Connect again, or repeat this step with a new token.",
    },
  ],
};

const onboarding = named(
  'Onboarding',
  Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      organization_id: Type.String({ format: 'uuid' }),
      setup_link_id: { ...nullableText, description: 'The set-up link that began it; null for one of an operator.' },
      created_at: Type.String({ format: 'date-time' }),
      updated_at: Type.String({ format: 'date-time' }),
      state: Type.Enum(ONBOARDING_STATES, {
        description: '`waiting` waits for a choice, `failed` for the repeat of a step.',
      }),
      app_id: shownApp,
      waba_id: nullableText,
      phone_number_id: nullableText,
      test_recipient: nullableText,
      template: Type.Object({ name: Type.String(), language: Type.String() }),
      message_id: { ...nullableText, description: 'The test message.' },
      has_pin: Type.Boolean({ description: 'True if a PIN is kept that was not shown yet.' }),
      steps: Type.Array(step),
    },
    {
      examples: [example],
    },
  ),
);

export const beginSchema = {
  operationId: 'beginOnboarding',
  summary: 'Begin the onboarding of an account',
  description:
    'Goes from an access token, or the code of a sign-up, to a delivered message: checks the token, connects the account, subscribes the ' +
    'webhooks, registers the number, sends a test message. The steps run in the background; each can be repeated.',
  tags: TAGS,
  params: organizationParams,
  body: onboardingBody,
  response: { ...errors, 201: onboarding },
};

export const listSchema = {
  operationId: 'listOnboardings',
  summary: "List an organization's onboardings",
  description: 'Newest first.',
  tags: TAGS,
  params: organizationParams,
  querystring: Type.Object({
    after: Type.Optional(Type.String({ description: '`next` of an earlier answer.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ONBOARDINGS_PER_PAGE_MAX, default: 50 })),
  }),
  response: {
    ...errors,
    200: Type.Object(
      { data: Type.Array(onboarding), next: nullableText },
      { description: 'One page.', examples: [{ data: [example], next: null }] },
    ),
  },
};

export const getSchema = {
  operationId: 'getOnboarding',
  summary: 'Read an onboarding',
  description: 'Returns its steps as they are now.',
  tags: TAGS,
  params: idParams,
  response: { ...errors, 200: onboarding },
};

export const repeatSchema = {
  operationId: 'repeatOnboardingStep',
  summary: 'Repeat a step of an onboarding',
  description:
    'Repeats the step and all that follow it, with the values of the body in place of the earlier ones. A test message is sent again only if ' +
    'the last one failed, or if the body names its recipient or its template.',
  tags: TAGS,
  params: Type.Object({ ...idParams.properties, step: Type.String({ description: 'Name of the step.' }) }),
  body: repeatBody,
  ...OPTIONAL_BODY,
  response: {
    ...errors,
    200: onboarding,
    409: inProgress,
    422: errorSchema('The platform refused the verification.', 'PROVIDER_REJECTED'),
  },
};

export const endSchema = {
  operationId: 'endOnboarding',
  summary: 'End an onboarding',
  description: 'Nothing more is called or sent. The account stays connected.',
  tags: TAGS,
  params: idParams,
  response: { ...errors, 204: Type.Null({ description: 'Ended.' }) },
};

export const pinSchema = {
  operationId: 'takeOnboardingPin',
  summary: 'Read the PIN of a registered number, once',
  description: 'Returns the PIN with which the number was registered, and forgets it.',
  tags: TAGS,
  params: idParams,
  response: {
    ...errors,
    200: Type.Object({ pin: Type.String() }, { description: 'The PIN.', examples: [{ pin: '482913' }] }),
    409: inProgress,
  },
};
