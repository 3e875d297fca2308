import { type TSchema, Type } from 'typebox';
import type { EventType } from '../event-types.ts';
import {
  accountMembers,
  CONVERSATION,
  changeMembers,
  ECHO,
  endpointMembers,
  INBOUND,
  messageMembers,
  nullable,
  open,
  outboundMembers,
  PAYMENT,
  reportedMembers,
  templateMembers,
  text,
  upstreamMembers,
} from './event-members.ts';

/** Returns the payload schema of one event type: posted to endpoints, and listed by the pull API with its id. */
export function payloadSchema(type: EventType): TSchema {
  return Type.Object({
    type: Type.Literal(type),
    timestamp: Type.String({
      format: 'date-time',
      description: 'Time of the event.',
      examples: ['2026-11-02T10:00:03.000Z'],
    }),
    data: dataOf(type),
  });
}

/** Returns the schema of a type's `data`. The examples of its members together are the example of the event. */
function dataOf(type: EventType): TSchema {
  switch (type) {
    case 'message.sent':
      return Type.Object(
        {
          ...messageMembers('sent'),
          ...outboundMembers,
          ...reportedMembers,
          upstream_status: nullable(
            "The platform's own word in its answer to the send; null if it gave none, or if a webhook reported the status. With any word " +
              'but `accepted`, such as `held_for_quality_assessment` or `paused`, the platform holds the message back: a second ' +
              '`message.sent` follows when it releases the message, or `message.failed` when it drops it.',
            'accepted',
          ),
        },
        open,
      );
    case 'message.failed':
      return Type.Object(
        {
          ...messageMembers('failed'),
          ...outboundMembers,
          ...reportedMembers,
          error_code: nullable(
            "The platform's code, or Fairway's own (`EXPIRED`, `CANCELLED`, `RECIPIENT_OPTED_OUT`, `UNKNOWN_OUTCOME`).",
            '131026',
          ),
          error_message: nullable('Its explanation.', 'Message undeliverable.'),
        },
        open,
      );
    case 'message.updated': {
      const { status: _, ...members } = messageMembers('updated');
      return Type.Object(
        {
          ...members,
          ...outboundMembers,
          ...reportedMembers,
          update: Type.Object(
            {},
            {
              ...open,
              description: "The platform's status object, word for word. Its `type` names the subject: `payment` …",
              examples: [PAYMENT],
            },
          ),
        },
        open,
      );
    }
    case 'message.echoed':
      return Type.Object(
        {
          ...messageMembers('sent', 'agent'),
          ...outboundMembers,
          message: Type.Object(
            {},
            { ...open, description: "The platform's echo of the message, word for word.", examples: [ECHO] },
          ),
        },
        open,
      );
    case 'message.received':
    case 'message.standby':
      return Type.Object(
        {
          ...messageMembers('received', type === 'message.standby' ? 'agent' : 'api'),
          group_id: Type.Optional(text('The group in which it was written.')),
          window_expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
            description:
              'End of the 24-hour window that this message opens: the window of the person, or of the group. Null if it opens none.',
            examples: ['2026-11-03T10:00:03.000Z'],
          }),
          message: Type.Object(
            {},
            { ...open, description: "The platform's message object, word for word.", examples: [INBOUND] },
          ),
          contact: Type.Union([Type.Object({}, open), Type.Null()], {
            description: "The platform's data about the sender, such as the profile name, word for word.",
            examples: [{ profile: { name: 'Ada' }, wa_id: '12025550123' }],
          }),
        },
        open,
      );
    case 'template.status_updated':
      return Type.Object(
        {
          ...templateMembers,
          status: nullable("The new status, in the platform's words.", 'APPROVED'),
          previous_status: nullable('Null if the template was not known before.', 'PENDING'),
          reason: nullable('Reason of a rejection or pause.'),
          event: Type.Optional(text('The occurrence, if it left the status unchanged: `FLAGGED` and the like.')),
        },
        open,
      );
    case 'template.category_updated':
      return Type.Object(
        {
          ...templateMembers,
          category: text('The category that counts now.', 'MARKETING'),
          previous_category: nullable('Null if it has not changed yet, or was not known.', 'UTILITY'),
          correct_category: Type.Optional(text('The category to come, if a move is announced.')),
          category_update_timestamp: Type.Optional(
            Type.Union([Type.Integer(), Type.String()], {
              description: 'Time of the announced move: Unix seconds, as reported by the platform.',
            }),
          ),
        },
        open,
      );
    case 'template.quality_updated':
      return Type.Object(
        {
          ...templateMembers,
          quality_score: text('`GREEN`, `YELLOW`, `RED` or `UNKNOWN`.', 'YELLOW'),
          previous_quality_score: nullable('Null if it had none.', 'GREEN'),
        },
        open,
      );
    case 'number.updated':
      return Type.Object(
        {
          ...accountMembers,
          ...changeMembers('THROUGHPUT_UPGRADE'),
          previous_messaging_limit: Type.Optional(nullable('The limit before, if the platform names it.')),
          verified_name: Type.Optional(nullable('The name that was decided on.')),
          rejection_reason: Type.Optional(nullable('Reason for which a name was not approved.')),
        },
        open,
      );
    case 'account.updated':
      return Type.Object(
        {
          ...accountMembers,
          ...changeMembers('VERIFIED_ACCOUNT'),
          ...upstreamMembers('account_update', { event: 'VERIFIED_ACCOUNT' }),
        },
        open,
      );
    case 'upstream.other':
      return Type.Object(
        { ...accountMembers, ...upstreamMembers('security', { event: 'PIN_CHANGED', requester: '61555822107539' }) },
        open,
      );
    case 'webhook.disabled':
      return Type.Object(
        {
          ...endpointMembers,
          reason: text('`gone`: it answered 410. `failing`: every attempt of five days failed.', 'failing'),
        },
        open,
      );
    case 'window.closing':
      return Type.Object(
        {
          ...accountMembers,
          person: text("The person's number, digits.", '12025550123'),
          conversation_id: text('As in the events of messages.', CONVERSATION),
          opened_by: Type.Union([Type.Literal('message'), Type.Literal('call')]),
          window_expires_at: Type.String({
            format: 'date-time',
            description: 'End of the window.',
            examples: ['2026-11-02T11:00:03.000Z'],
          }),
        },
        open,
      );
    case 'configuration.changed':
      return Type.Object(
        {
          ...accountMembers,
          operation: text('The operation, as the OpenAPI file names it.', 'updateBusinessProfile'),
          method: text('`POST` or `DELETE`.', 'POST'),
          edge: text('The path behind the id; empty for the object itself.', 'whatsapp_business_profile'),
          object_kind: text('`number`, `account`, `flow`, `group` or `template`.', 'number'),
          object_id: text("The platform's id of the object.", '100000000000002'),
        },
        open,
      );
    case 'opt_out.created':
    case 'opt_out.removed':
      return Type.Object(
        {
          ...accountMembers,
          opt_out_id: text('As `GET /v1/opt-outs` shows it.', '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30'),
          person: nullable("The person's number, digits; null if only the user id is known.", '12025550123'),
          user_id: nullable("The person's user id, if it is known."),
          source: text('`api`, `platform` or `keyword`: the origin of the opt-out.', 'platform'),
        },
        open,
      );
    case 'webhook.test':
      return Type.Object(endpointMembers, open);
    case 'message.queued':
    case 'message.delivered':
    case 'message.read':
      return Type.Object({ ...messageMembers(type.slice(8)), ...outboundMembers, ...reportedMembers }, open);
  }
}
