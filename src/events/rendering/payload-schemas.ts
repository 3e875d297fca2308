import { type TSchema, Type } from 'typebox';
import { EVENT_TYPES, type EventType } from '../event-types.ts';

const text = (description: string) => Type.String({ description });
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const open = { additionalProperties: true };

const messageMembers = {
  id: Type.String({ format: 'uuid', description: "The message's id, as the send answered it." }),
  sequence: Type.Integer({
    minimum: 1,
    description:
      'Rises by one with every event of the message, in the order in which the upstream told them, which need not be the order in which they ' +
      'happened: `read` may be told before `delivered`. Keep the furthest of `queued`, `sent`, `delivered`, `read`; `failed` is final.',
  }),
  status: text('`queued`, `sent`, `delivered`, `read`, `failed` or `received`.'),
  direction: Type.Union([Type.Literal('outbound'), Type.Literal('inbound')]),
  origin: text(
    '`api`: sent or received through the gateway; `agent`: in a conversation that a business agent holds; `app`: sent from the ' +
      'WhatsApp Business app.',
  ),
  message_id: nullable("The upstream's own id; null until it gave one."),
  account_id: nullable('The sending number record, a UUID.'),
  phone_number_id: nullable("The upstream's id of our number."),
  waba_id: nullable('The business account.'),
  conversation_id: nullable('Stable for our number and the person, or the group.'),
  message_type: text('`text`, `template`, `image` …'),
  recipient_phone: nullable('Digits.'),
  sender_phone: nullable('Digits.'),
};

const outboundMembers = {
  template_name: Type.Optional(text('Templates only.')),
  template_language: Type.Optional(text('Templates only.')),
  conversation_category: nullable('As known when it happened.'),
  pricing_type: nullable('As known when it happened.'),
  biz_opaque_callback_data: Type.Optional(text('Verbatim what the send carried.')),
  field: Type.Optional(text('For a message that the gateway did not send: the webhook field that reported it.')),
  value: Type.Optional(
    Type.Object({}, { ...open, description: "With `field`: the members of that field's value, word for word." }),
  ),
};

const accountMembers = {
  waba_id: Type.Optional(text('The business account.')),
  phone_number_id: Type.Optional(text('The number concerned, where it is one.')),
};

const templateMembers = {
  ...accountMembers,
  template_id: text('The template as the upstream knows it.'),
  name: Type.Optional(text('Absent when the upstream named the template by its id alone.')),
  language: Type.Optional(text('As `name`.')),
};

/** The changed fields of a number or account; only those that the change is about. */
const changeMembers = {
  event: nullable(
    "The upstream's word for what happened; `NAME_UPDATE`, `REVIEW_UPDATE`, `CAPABILITY_UPDATE` where it has none.",
  ),
  phone_number: Type.Optional(text('Digits of the number concerned, where it is one.')),
  decision: Type.Optional(nullable('What came of a review, of the account or of a name: `APPROVED`, `REJECTED` …')),
  messaging_limit: Type.Optional(
    nullable('The limit it has now, a tier or a number of people a day; null where none is told.'),
  ),
  numbers_max: Type.Optional(
    Type.Union([Type.Integer(), Type.Null()], {
      description: 'How many numbers the account may have; null where it is not told.',
    }),
  ),
};

const toldMembers = {
  field: Type.Optional(text("The upstream's webhook field.")),
  value: Type.Optional(Type.Object({}, { ...open, description: "That field's value, word for word." })),
};

const endpointMembers = {
  webhook_id: Type.String({ format: 'uuid', description: 'The endpoint concerned.' }),
  url: text('Its address.'),
};

function dataOf(type: EventType): TSchema {
  switch (type) {
    case 'message.sent':
      return Type.Object(
        {
          ...messageMembers,
          ...outboundMembers,
          upstream_status: nullable(
            "The upstream's own word in its answer to the send; null where it gave none, and where a webhook of its told this. With any " +
              'other word than `accepted`, such as `held_for_quality_assessment` or `paused`, it holds the message back: a second ' +
              '`message.sent` follows when it lets it go, or `message.failed` when it drops it.',
          ),
        },
        open,
      );
    case 'message.failed':
      return Type.Object(
        {
          ...messageMembers,
          ...outboundMembers,
          error_code: nullable("The upstream's code, or Fairway's own (`EXPIRED`, `CANCELLED`, `UNKNOWN_OUTCOME`)."),
          error_message: nullable('Its explanation.'),
        },
        open,
      );
    case 'message.updated': {
      const { status: _, ...members } = messageMembers;
      return Type.Object(
        {
          ...members,
          ...outboundMembers,
          update: Type.Object(
            {},
            {
              ...open,
              description: "The upstream's status object, word for word. Its `type` says what it is about: `payment` …",
            },
          ),
        },
        open,
      );
    }
    case 'message.echoed': {
      const { field: _field, value: _value, ...members } = outboundMembers;
      return Type.Object(
        {
          ...messageMembers,
          ...members,
          message: Type.Object({}, { ...open, description: "The upstream's echo of the message, word for word." }),
        },
        open,
      );
    }
    case 'message.received':
    case 'message.standby':
      return Type.Object(
        {
          ...messageMembers,
          group_id: Type.Optional(text('The group that it was written in.')),
          window_expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
            description:
              'End of the 24-hour window that this message opens: the window of the person, or of the group. Null if it opens none.',
          }),
          message: Type.Object({}, { ...open, description: "The upstream's message object, word for word." }),
          contact: Type.Union([Type.Object({}, open), Type.Null()], {
            description: 'What the upstream said of the sender, the profile name above all, word for word.',
          }),
        },
        open,
      );
    case 'template.status_updated':
      return Type.Object(
        {
          ...templateMembers,
          status: nullable('The status it has now, in the words of the upstream.'),
          previous_status: nullable('Null when the template was not known before.'),
          reason: nullable('Why it was rejected or paused.'),
          event: Type.Optional(text('What happened, where it left the status as it is: `FLAGGED` and the like.')),
        },
        open,
      );
    case 'template.category_updated':
      return Type.Object(
        {
          ...templateMembers,
          category: text('The category that counts now.'),
          previous_category: nullable('Null when it has not changed yet, or was not known.'),
          correct_category: Type.Optional(text('The category to come, where a move is announced.')),
          category_update_timestamp: Type.Optional(
            Type.Union([Type.Integer(), Type.String()], {
              description: 'When it comes: Unix seconds, as the upstream told it.',
            }),
          ),
        },
        open,
      );
    case 'template.quality_updated':
      return Type.Object(
        {
          ...templateMembers,
          quality_score: text('`GREEN`, `YELLOW`, `RED` or `UNKNOWN`.'),
          previous_quality_score: nullable('Null when it had none.'),
        },
        open,
      );
    case 'number.updated':
      return Type.Object(
        {
          ...accountMembers,
          ...changeMembers,
          previous_messaging_limit: Type.Optional(nullable('The limit before, where the upstream tells it.')),
          verified_name: Type.Optional(nullable('The name that was decided on.')),
          rejection_reason: Type.Optional(nullable('Why a name was not approved.')),
        },
        open,
      );
    case 'account.updated':
      return Type.Object({ ...accountMembers, ...changeMembers, ...toldMembers }, open);
    case 'upstream.other':
      return Type.Object({ ...accountMembers, ...toldMembers }, open);
    case 'webhook.disabled':
      return Type.Object(
        { ...endpointMembers, reason: text('`gone`: it answered 410. `failing`: every attempt of five days failed.') },
        open,
      );
    case 'window.closing':
      return Type.Object(
        {
          ...accountMembers,
          person: text("The person's number, digits."),
          conversation_id: text('As in the events of messages.'),
          opened_by: Type.Union([Type.Literal('message'), Type.Literal('call')]),
          window_expires_at: Type.String({ format: 'date-time', description: 'End of the window.' }),
        },
        open,
      );
    case 'webhook.test':
      return Type.Object(endpointMembers, open);
    case 'message.queued':
    case 'message.delivered':
    case 'message.read':
      return Type.Object({ ...messageMembers, ...outboundMembers }, open);
  }
}

const SUMMARIES: Record<EventType, string> = {
  'message.queued': 'A send was accepted',
  'message.sent': 'The upstream accepted a message',
  'message.delivered': 'A message reached its recipient',
  'message.read': 'The recipient read a message',
  'message.failed': 'A message failed for good',
  'message.received': 'A person wrote to one of your numbers',
  'template.status_updated': "A template's review or status changed",
  'template.category_updated': "A template's category changed, or will",
  'template.quality_updated': "A template's quality score changed",
  'number.updated': "A number's quality, name, throughput or limits changed",
  'account.updated': "A business account's state, review or limits changed",
  'upstream.other': 'The upstream told something that has no type of its own',
  'webhook.disabled': 'An endpoint of yours was disabled after failing for too long, or answering 410',
  'webhook.test': 'You asked for a test event',
  'message.updated': 'The upstream reported something about a message that is no delivery status, such as a payment',
  'message.standby': 'A person wrote to one of your numbers while a business agent held the conversation',
  'message.echoed': 'A message was sent from one of your numbers elsewhere: by a business agent or from the app',
  'window.closing': 'A 24-hour window closes within the hour; only for endpoints that name this type',
};

/** Returns the payload schema of one event type: posted to endpoints, and listed by the pull API with its id. */
function payloadSchema(type: EventType): TSchema {
  return Type.Object({
    type: Type.Literal(type),
    timestamp: Type.String({ format: 'date-time', description: 'When it happened.' }),
    data: dataOf(type),
  });
}

const eventHeaders = [
  ['webhook-id', "The event's id: the same on every attempt, and in `GET /v1/events`."],
  ['webhook-timestamp', 'Unix seconds of the attempt.'],
  ['webhook-signature', 'Standard Webhooks signatures, separated by spaces.'],
] as const;

/** Returns the `webhooks` section of the OpenAPI file: the requests to endpoints of format `standard`. */
export function webhookOperations(): Record<string, { post: object }> {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      {
        post: {
          summary: SUMMARIES[type],
          operationId: `on_${type.replaceAll('.', '_')}`,
          tags: ['Events'],
          security: [],
          parameters: eventHeaders.map(([name, description]) => ({
            name,
            in: 'header',
            required: true,
            description,
            schema: { type: 'string' },
          })),
          requestBody: { required: true, content: { 'application/json': { schema: payloadSchema(type) } } },
          responses: { '2XX': { description: 'Taken. Anything else is tried again; 410 disables the endpoint.' } },
        },
      },
    ]),
  );
}
