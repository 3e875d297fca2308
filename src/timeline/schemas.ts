import { Type } from 'typebox';
import { commonErrors, errorSchema, nullableText, nullableTime } from '../http/index.ts';
import { ATTEMPTS_SHOWN_MAX } from '../outbound-webhooks/index.ts';

const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);

export const timelineSchema = {
  operationId: 'getMessageTimeline',
  summary: 'Read the history of a message',
  description:
    "Oldest first: its acceptance, repeated attempts with their reasons, the platform's answer, every status, statuses that contradict the " +
    `final one, and the deliveries of its events to your endpoints (of a delivery replayed many times the last ${ATTEMPTS_SHOWN_MAX} attempts ` +
    'and its end). A queued message also shows the reason for its wait. Kept for 30 days.',
  tags: ['Messages'],
  params: Type.Object({ id: Type.String({ description: 'The id answered by the send, a UUID.' }) }),
  response: {
    ...commonErrors,
    200: Type.Object(
      {
        data: Type.Array(
          Type.Object(
            {
              at: Type.String({ format: 'date-time' }),
              what: Type.String({
                description:
                  '`queued`, `attempt`, `sent`, `delivered`, `read`, `failed`, `received`, `standby`, `echoed`, `updated`, `contradiction` or ' +
                  '`webhook`.',
              }),
              event_id: Type.Optional(Type.String({ description: 'The event about it.' })),
              sequence: Type.Optional(Type.Integer()),
              source: Type.Optional(
                Type.Union([Type.Literal('answer'), Type.Literal('webhook')], {
                  description:
                    "Source of the entry: the platform's answer to the send, or a webhook. Absent if Fairway caused it.",
                }),
              ),
              message_id: Type.Optional(nullableText),
              upstream_status: Type.Optional(
                Type.Union([Type.String(), Type.Null()], {
                  description:
                    "Of a `sent`: the platform's own word in its answer, such as `held_for_quality_assessment`; null if it gave " +
                    'none.',
                }),
              ),
              outcome: Type.Optional(
                Type.String({
                  description:
                    '`throttled`, `unavailable`, `unsent`, `blocked` or `unknown`. `error_message` has the reason if it is ' +
                    'known: `interrupted` if Fairway was stopped before it received the outcome. Of a `webhook`: `delivered`, ' +
                    '`retry` or `failed`.',
                }),
              ),
              webhook_id: Type.Optional(
                Type.String({ description: 'The endpoint a `webhook` was delivered to, or not.' }),
              ),
              http_status: Type.Optional(nullableInteger),
              failure: Type.Optional(nullableText),
              latency_ms: Type.Optional(nullableInteger),
              error_code: Type.Optional(nullableText),
              error_message: Type.Optional(nullableText),
              next_attempt_at: Type.Optional(nullableTime),
              told: Type.Optional(Type.String({ description: 'The reported status that contradicts the final one.' })),
            },
            { additionalProperties: true },
          ),
        ),
        waiting: Type.Union(
          [
            Type.Object({
              reasons: Type.Array(Type.String(), {
                description:
                  '`pacing`, `pair limit`, `on its way` (not answered yet), `retry`, `unknown outcome`, `paused`, `parked: …` ' +
                  'with its reason, the number of earlier messages to the same recipient (counted up to 1000), `being taken ' +
                  'over` by this node, `another node` (which knows the reason), or `no node` (no dispatching node has the ' +
                  'number).',
              }),
              next_attempt_at: nullableTime,
              expires_at: Type.String({
                format: 'date-time',
                description:
                  'Time at which the message fails as `EXPIRED` unless it was sent: the end of its time to live, or of the ' +
                  "organization's longest wait.",
              }),
            }),
            Type.Null(),
          ],
          { description: 'Null once it has left the queue.' },
        ),
        price: Type.Union(
          [
            Type.Object({
              micros: Type.Integer({
                description:
                  "Millionths of the budget's currency unit, as the usage counts them; 0 for a failed message.",
              }),
              category: nullableText,
              pricing_type: Type.Union([Type.String(), Type.Null()], {
                description: 'Null until the platform reports it. Until then the price is that of the acceptance.',
              }),
            }),
            Type.Null(),
          ],
          { description: 'Null for a message that the gateway did not send.' },
        ),
        biz_opaque_callback_data: Type.Union([Type.String(), Type.Null()], {
          description: 'The text that the send carried.',
        }),
      },
      {
        description: 'The timeline.',
        examples: [
          {
            data: [
              {
                at: '2026-11-02T09:59:59.912Z',
                what: 'queued',
                event_id: 'evt_0199c0de7a3b7c1d9e5f2b8a4d6c1e300001',
                sequence: 1,
              },
              {
                at: '2026-11-02T09:59:59.930Z',
                what: 'attempt',
                outcome: 'throttled',
                error_code: '130429',
                error_message: null,
                next_attempt_at: '2026-11-02T10:00:01.000Z',
              },
              {
                at: '2026-11-02T10:00:01.020Z',
                what: 'sent',
                event_id: 'evt_0199c0de7a3b7c1d9e5f2b8a4d6c1e300002',
                sequence: 2,
                source: 'answer',
                message_id: 'wamid.HBgLMTU1NTEyMzAwMDEVAgARGBI5QTNDQTVCM0Q0',
                upstream_status: 'accepted',
              },
            ],
            waiting: null,
            price: { micros: 34200, category: 'utility', pricing_type: 'regular' },
            biz_opaque_callback_data: 'order 1042',
          },
        ],
      },
    ),
    400: errorSchema('The id is not a UUID.', 'INVALID_ID'),
    404: errorSchema('No message with this id in the organization.', 'NOT_FOUND'),
    500: errorSchema('A temporary error. Try again.', 'FETCH_FAILED'),
  },
};
