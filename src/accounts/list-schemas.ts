import { Type } from 'typebox';
import { adminErrors, errorSchema } from '../http/index.ts';
import {
  appId,
  errors,
  exampleNumber,
  exampleUse,
  listedNumber,
  marketingUse,
  TAGS,
  webhooksSubscribed,
} from './schemas.ts';

/** A page without `limit` has as many: clients that read no further page get every account that an organization is likely to have. */
export const WABAS_PER_PAGE_MAX = 1000;

const connectedWabas = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        waba_id: Type.String(),
        app_id: appId,
        webhooks_subscribed: webhooksSubscribed,
        marketing_messages: marketingUse,
        numbers: Type.Array(listedNumber),
      }),
    ),
    next: Type.Union([Type.String(), Type.Null()], { description: 'The `after` of the next page; null at the end.' }),
  },
  {
    description: 'One page, by id.',
    examples: [
      {
        data: [
          {
            waba_id: '102290129340398',
            app_id: '880011223344',
            webhooks_subscribed: true,
            marketing_messages: exampleUse,
            numbers: [{ ...exampleNumber, paused: false, parked: null }],
          },
        ],
        next: null,
      },
    ],
  },
);

export const listWabasSchema = {
  operationId: 'listWabas',
  summary: "List an organization's business accounts",
  description:
    'Each with its numbers as last read from the platform, and the reason for which their messages wait, if any.',
  tags: TAGS,
  params: Type.Object({ org_id: Type.String({ format: 'uuid' }) }),
  querystring: Type.Object({
    after: Type.Optional(Type.String({ description: '`next` of an earlier answer.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: WABAS_PER_PAGE_MAX, default: WABAS_PER_PAGE_MAX })),
  }),
  response: {
    200: connectedWabas,
    ...errors,
    404: errorSchema('No such organization.', 'NOT_FOUND'),
    503: adminErrors[503],
  },
};
