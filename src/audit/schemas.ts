import { Type } from 'typebox';
import { adminErrors, commonErrors, errorSchema, named, nullableText } from '../http/index.ts';

const TAGS = ['Audit log'];
const EXAMPLE_ID = '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30';
const EXAMPLE_DIGEST = '4f3b1c5a9e0d2768b4c1f0a3e5d7968214afc0be93d2715806e4bc9a1f7d3e52';
export const CHANGES_PER_PAGE_MAX = 200;

const invalid = errorSchema('A parameter is invalid.', 'VALIDATION_ERROR');

const EXAMPLE_CHANGE = {
  id: EXAMPLE_ID,
  organization_id: '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e31',
  sequence: 17,
  at: '2026-08-01T09:30:00.000Z',
  actor: { type: 'operator', id: '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e32', name: 'Ada Example', identity: null },
  address: '192.0.2.7',
  request_id: 'a1b2c3-1f',
  operation: 'updateNumber',
  object: { type: 'number', id: '106540352242922' },
  before: { paused: false },
  after: { paused: true },
  parameters: null,
  answer: null,
  http_status: 200,
  digest: EXAMPLE_DIGEST,
};

const nullableObject = (description: string) =>
  Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], { description });

const change = named(
  'AuditedChange',
  Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      organization_id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
        description: 'The organization whose chain has the change; null for a change that belongs to none.',
      }),
      sequence: Type.Integer({ description: 'Place in the chain. Results and checkpoints have places of their own.' }),
      at: Type.String({ format: 'date-time' }),
      actor: Type.Object({
        type: Type.Enum(['operator', 'admin_token', 'api_key', 'unknown'], {
          description: '`unknown` if the row cannot be read.',
        }),
        id: nullableText,
        name: nullableText,
        identity: Type.Union(
          [Type.Object({ issuer: Type.String(), subject: Type.String(), email: nullableText }), Type.Null()],
          {
            description:
              'The person as the identity provider named them, for an operator who signed in there; otherwise null.',
          },
        ),
      }),
      address: Type.Union([Type.String(), Type.Null()], { description: 'The address that the request came from.' }),
      request_id: Type.String({
        description: 'As in the `x-request-id` header of the answer; empty if the row cannot be read.',
      }),
      operation: Type.String({
        description:
          'The operation by its `operationId` in this file; `signIn` for a sign-in at the console by the identity provider; ' +
          '`unreadable` for a row that was altered in the database; the check of its chain finds it.',
      }),
      object: Type.Union([Type.Object({ type: Type.String(), id: Type.String() }), Type.Null()], {
        description: 'The object of the change; null if there is none with the requested id.',
      }),
      before: nullableObject('Listed members of the object before the change.'),
      after: nullableObject('The same members after the change; null if it was refused, or the object ended.'),
      parameters: nullableObject('Listed parameters of the request.'),
      answer: nullableObject('Listed members of the answer.'),
      http_status: Type.Union([Type.Integer(), Type.Null()], {
        description: 'Status of the answer. Null while the change is in progress, and if the process ended during it.',
      }),
      digest: Type.String({ description: 'SHA-256 over this row and the digest before, in hex.' }),
    },
    {
      description: 'A change.',
      examples: [EXAMPLE_CHANGE],
    },
  ),
);

const page = named(
  'AuditedChangePage',
  Type.Object(
    {
      data: Type.Array(change),
      next: Type.Union([Type.String(), Type.Null()], { description: 'The `after` of the next page; null at the end.' }),
    },
    { description: 'One page, newest first.', examples: [{ data: [EXAMPLE_CHANGE], next: null }] },
  ),
);

const verdict = named(
  'AuditVerdict',
  Type.Object(
    {
      organization_id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
      intact: Type.Boolean({ description: 'True if every row follows from the row before.' }),
      rows: Type.Integer({ description: 'Number of rows found right.' }),
      head: Type.Union([Type.Object({ sequence: Type.Integer(), digest: Type.String() }), Type.Null()], {
        description: 'The end of the chain. Note it elsewhere, and pass it to a later check.',
      }),
      problem: Type.Union([Type.Object({ sequence: Type.Integer(), reason: Type.String() }), Type.Null()], {
        description: 'The first row that contradicts the others.',
      }),
    },
    {
      description: 'The verdict.',
      examples: [
        {
          organization_id: null,
          intact: true,
          rows: 34,
          head: { sequence: 34, digest: EXAMPLE_DIGEST },
          problem: null,
        },
      ],
    },
  ),
);

const filters = {
  operation: Type.Optional(Type.String({ description: 'Only changes by this operation.' })),
  actor: Type.Optional(Type.String({ description: 'Only changes by this operator or key, by its id.' })),
  object: Type.Optional(Type.String({ description: 'Only changes of the object with this id.' })),
  from: Type.Optional(Type.String({ description: 'Only changes from this time on, ISO 8601.' })),
  to: Type.Optional(Type.String({ description: 'Only changes before this time, ISO 8601.' })),
  after: Type.Optional(Type.String({ description: '`next` of an earlier answer.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: CHANGES_PER_PAGE_MAX, default: 50 })),
};
const anchor = {
  sequence: Type.Optional(Type.Integer({ minimum: 1, description: 'Place of a row that was noted earlier.' })),
  digest: Type.Optional(Type.String({ description: 'Its digest, which the row must still have.' })),
};
const organization = {
  organization_id: Type.Optional(
    Type.String({ description: 'The organization; `none` stands for changes that belong to no organization.' }),
  ),
};
const LIST =
  'Newest first. A change has a row before it is made and a second one with its result. Sends and uploads are not listed.';
const VERIFY =
  'Computes the digests of the whole chain again. With `sequence` and `digest`, also finds a chain that was written again as a whole.';

export const listAuditSchema = {
  operationId: 'listAudit',
  summary: 'List changes of all organizations and of the deployment',
  description: LIST,
  tags: TAGS,
  querystring: Type.Object({ ...organization, ...filters }),
  response: { 200: page, ...adminErrors, 400: invalid },
};

export const listOwnAuditSchema = {
  operationId: 'listOwnAudit',
  summary: 'List changes of the organization',
  description: `${LIST} Changes by the gateway's operators show neither their names nor their addresses.`,
  tags: TAGS,
  querystring: Type.Object(filters),
  response: { 200: page, ...commonErrors, 400: invalid },
};

export const verifyAuditSchema = {
  operationId: 'verifyAudit',
  summary: 'Check a chain of the audit log',
  description: `${VERIFY} Without \`organization_id\`, checks the chain of the deployment.`,
  tags: TAGS,
  querystring: Type.Object({ ...organization, ...anchor }),
  response: { 200: verdict, ...adminErrors, 400: invalid },
};

export const verifyOwnAuditSchema = {
  operationId: 'verifyOwnAudit',
  summary: "Check the organization's chain of the audit log",
  description: VERIFY,
  tags: TAGS,
  querystring: Type.Object(anchor),
  response: { 200: verdict, ...commonErrors, 400: invalid },
};
