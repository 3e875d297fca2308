import { Type } from 'typebox';
import {
  adminErrors,
  errorSchema,
  named,
  nullableText,
  nullableTime,
  ONE_LINE,
  OPERATOR_ROLES,
  OPTIONAL_BODY,
} from '../http/index.ts';

const EXAMPLE_ID = '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30';
const TAGS = ['Operators'];
const OVERLAP_SECONDS_MAX = 30 * 86_400;
export const OPERATORS_PER_PAGE_MAX = 100;

const errors = { ...adminErrors, 400: errorSchema('The body or a parameter is invalid.', 'VALIDATION_ERROR') };
const onOperatorErrors = { ...errors, 404: errorSchema('No such operator.', 'NOT_FOUND') };
const fromProvider = errorSchema(
  'The operator signs in by the identity provider, which states name and role.',
  'CONFLICT',
);
const params = Type.Object({ id: Type.String({ format: 'uuid' }) });

const name = Type.String({ minLength: 1, maxLength: 200, pattern: ONE_LINE, description: 'A person or a program.' });
const role = Type.Enum([...OPERATOR_ROLES], {
  description:
    '`support` reads, with phone numbers and the contents of messages masked. `operator` also changes tenants, keys, accounts and ' +
    'numbers. `admin` also manages operators and closes organizations.',
});
const expiry = Type.Union([Type.String(), Type.Null()], {
  description: 'Moment from which the token is refused, ISO 8601; null never.',
});

export const operatorBody = named(
  'OperatorRequest',
  Type.Object(
    { name, role, expires_at: Type.Optional(expiry) },
    { additionalProperties: false, examples: [{ name: 'Ada Example', role: 'support' }] },
  ),
);

export const operatorPatchBody = named(
  'OperatorPatch',
  Type.Object(
    { name: Type.Optional(name), role: Type.Optional(role), expires_at: Type.Optional(expiry) },
    {
      additionalProperties: false,
      description: 'Absent members stay as they are.',
      examples: [{ role: 'operator' }],
    },
  ),
);

export const rotateTokenBody = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_SECONDS_MAX,
        description: 'Seconds for which the present token works beside the new one. Default 0.',
      }),
    ),
  },
  { additionalProperties: false, description: 'May be left out.', examples: [{ overlap_seconds: 3600 }] },
);

const members = {
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  role: Type.Enum([...OPERATOR_ROLES]),
  hint: Type.Union([Type.String(), Type.Null()], {
    description: 'The first characters of the token, to recognise it; null for an operator without a token.',
  }),
  identity: Type.Union(
    [
      Type.Object({
        issuer: Type.String(),
        subject: Type.String({ description: "The provider's own name of the person, which stays the same." }),
        email: nullableText,
      }),
      Type.Null(),
    ],
    {
      description:
        'For a person who signs in at the console by the identity provider, which states name and role at each sign-in; otherwise null.',
    },
  ),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: nullableTime,
  revoked_at: nullableTime,
  previous_until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'Time until which the token before the last rotation works.',
  }),
  last_used_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'Correct to the hour.',
  }),
};
const example = {
  id: EXAMPLE_ID,
  name: 'Ada Example',
  role: 'support',
  hint: 'fw_op_0000',
  identity: null,
  created_at: '2026-08-01T09:30:00.000Z',
  expires_at: null,
  revoked_at: null,
  previous_until: null,
  last_used_at: null,
};

const operator = named('Operator', Type.Object(members, { description: 'The operator.', examples: [example] }));

const operatorWithToken = named(
  'OperatorWithToken',
  Type.Object(
    {
      ...members,
      token: Type.String({ description: 'The token itself, shown this once: only its hash is stored.' }),
    },
    {
      description: 'The operator and the new token.',
      examples: [{ ...example, token: 'fw_op_00000000000000000000000000000000000000' }],
    },
  ),
);

const operatorPage = Type.Object(
  {
    data: Type.Array(operator),
    next: Type.Union([Type.String(), Type.Null()], { description: 'The `after` of the next page; null at the end.' }),
  },
  { description: 'One page.', examples: [{ data: [example], next: null }] },
);

const me = Type.Object(
  { id: nullableText, name: Type.String(), role: Type.Enum([...OPERATOR_ROLES]), expires_at: nullableTime },
  {
    description: 'The caller. `id` is null for ADMIN_TOKEN.',
    examples: [{ id: EXAMPLE_ID, name: 'Ada Example', role: 'support', expires_at: null }],
  },
);

export const whoAmISchema = {
  operationId: 'whoAmI',
  summary: "Read the caller's own name and role",
  description: 'Tests a token, and names the operator that it belongs to.',
  tags: TAGS,
  response: { 200: me, ...adminErrors },
};

export const createOperatorSchema = {
  operationId: 'createOperator',
  summary: 'Create an operator',
  description: 'The answer has the token; no later answer does.',
  tags: TAGS,
  body: operatorBody,
  response: { 201: operatorWithToken, ...errors },
};

export const listOperatorsSchema = {
  operationId: 'listOperators',
  summary: 'List operators',
  description: 'Newest first, revoked operators included. The holder of ADMIN_TOKEN is not listed.',
  tags: TAGS,
  querystring: Type.Object({
    after: Type.Optional(Type.String({ description: '`next` of an earlier answer.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: OPERATORS_PER_PAGE_MAX, default: 50 })),
  }),
  response: { 200: operatorPage, ...errors },
};

export const getOperatorSchema = {
  operationId: 'getOperator',
  summary: 'Read an operator',
  description: 'Returns name, role and times of one operator.',
  tags: TAGS,
  params,
  response: { 200: operator, ...onOperatorErrors },
};

export const changeOperatorSchema = {
  operationId: 'updateOperator',
  summary: 'Change the name, role or expiry of an operator',
  description:
    'Takes effect on every node within a second. A revoked operator cannot be changed. The expiry is the only member that can be changed of a ' +
    'person who signs in by the identity provider.',
  tags: TAGS,
  params,
  body: operatorPatchBody,
  response: { 200: operator, ...onOperatorErrors, 409: fromProvider },
};

export const rotateOperatorSchema = {
  operationId: 'rotateOperatorToken',
  summary: 'Give an operator a new token',
  description: 'The present token works until the overlap ends. A token from before an earlier rotation stops at once.',
  tags: TAGS,
  params,
  ...OPTIONAL_BODY,
  body: rotateTokenBody,
  response: { 200: operatorWithToken, ...onOperatorErrors, 409: fromProvider },
};

export const revokeOperatorSchema = {
  operationId: 'revokeOperator',
  summary: 'Revoke an operator',
  description:
    'Cannot be undone. Every node refuses the tokens and ends the sessions within a second. A person who signs in by the identity provider is ' +
    'refused there, too. A repeated call changes nothing.',
  tags: TAGS,
  params,
  response: { 204: Type.Null({ description: 'Revoked.' }), ...onOperatorErrors },
};
