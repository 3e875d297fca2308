import { Type } from 'typebox';
import { adminErrors, errorSchema } from '../http/index.ts';

const operatorOnly = { tags: ['Operator'] };
const time = (description: string) => Type.String({ format: 'date-time', description });

export const replayBody = Type.Object(
  {
    from: time('Payloads received at this moment or later.'),
    to: time('Payloads received before this moment.'),
  },
  { additionalProperties: false, examples: [{ from: '2026-11-02T10:00:00Z', to: '2026-11-02T11:00:00Z' }] },
);

export const listJournalSchema = {
  ...operatorOnly,
  operationId: 'listUpstreamPayloads',
  summary: "List the platform's webhooks",
  description:
    'Signed payloads as received, in the order of their storage. The gateway keeps them for ' +
    '`WEBHOOK_RETENTION_DAYS`, 14 by default.',
  querystring: Type.Object({
    after: Type.Optional(Type.String({ description: '`next` of an earlier answer.' })),
    from: Type.Optional(time('Received at this moment or later.')),
    to: Type.Optional(time('Received before this moment.')),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  }),
  response: {
    200: Type.Object(
      {
        data: Type.Array(
          Type.Object({
            id: Type.Integer(),
            received_at: Type.String({ format: 'date-time' }),
            pending: Type.Boolean({ description: 'True if it is not applied yet.' }),
            failure: Type.Union([Type.String(), Type.Null()], {
              description: 'The reason for which it could not be applied.',
            }),
            payload: Type.Optional(Type.Object({}, { additionalProperties: true })),
            payload_base64: Type.Optional(
              Type.String({ description: 'In place of `payload`, when that is no JSON object.' }),
            ),
          }),
        ),
        next: Type.String({ description: 'The `after` of the next call; unchanged if there was nothing more.' }),
      },
      {
        description: 'One page. Large payloads make it shorter than `limit`.',
        examples: [
          {
            data: [
              {
                id: 1042,
                received_at: '2026-11-02T10:00:00.000Z',
                pending: false,
                failure: null,
                payload: { object: 'whatsapp_business_account', entry: [] },
              },
            ],
            next: 'MTA0Mi4x',
          },
        ],
      },
    ),
    400: errorSchema('A parameter is malformed.', 'VALIDATION_ERROR'),
    ...adminErrors,
  },
};

export const replayJournalSchema = {
  ...operatorOnly,
  operationId: 'replayUpstreamPayloads',
  summary: 'Apply a time range of payloads again',
  description:
    'Runs in the background, oldest first. A payload that was applied before has no second effect and no second ' +
    'event. Leaves out payloads that are almost as old as the retention of messages (`MESSAGE_RETENTION_DAYS` ' +
    'less one day), because their messages would be received a second time.',
  body: replayBody,
  response: {
    202: Type.Object(
      { payloads: Type.Integer({ description: 'How many are applied again.' }) },
      { description: 'Accepted.', examples: [{ payloads: 120 }] },
    ),
    400: errorSchema('The range is malformed.', 'VALIDATION_ERROR'),
    ...adminErrors,
  },
};
