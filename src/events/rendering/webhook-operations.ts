import { EVENT_TYPES, type EventType } from '../event-types.ts';
import { payloadSchema } from './payload-schemas.ts';
import { exampleOf } from './schema-example.ts';

/** Summary of each event, and the moment at which it is recorded. */
const EVENTS: Record<EventType, { summary: string; when: string }> = {
  'message.queued': {
    summary: 'A send was accepted',
    when: 'Recorded together with the message, before the send is answered 202.',
  },
  'message.sent': {
    summary: 'The platform accepted a message',
    when: "Recorded with the platform's answer, or with its status if that arrives first.",
  },
  'message.delivered': {
    summary: 'A message reached its recipient',
    when: "Recorded when the platform's status arrives.",
  },
  'message.read': {
    summary: 'The recipient read a message',
    when: "Recorded when the platform's status arrives. People who have turned read receipts off never cause it.",
  },
  'message.failed': {
    summary: 'A message failed for good',
    when: 'Recorded when the platform refuses a message or reports its failure, or when the gateway gives it up. No other status follows.',
  },
  'message.received': {
    summary: 'A person wrote to one of your numbers',
    when: "Recorded when the platform's webhook arrives, before the gateway answers it.",
  },
  'template.status_updated': {
    summary: "A template's review or status changed",
    when: 'Recorded when a webhook or a read of the account shows the change.',
  },
  'template.category_updated': {
    summary: "A template's category changed, or will",
    when: 'Recorded when the platform announces or makes the change.',
  },
  'template.quality_updated': {
    summary: "A template's quality score changed",
    when: 'Recorded when the platform reports the score.',
  },
  'number.updated': {
    summary: "A number's quality, name, throughput or limits changed",
    when: "Recorded when the platform's webhook arrives.",
  },
  'account.updated': {
    summary: "A business account's state, review or limits changed",
    when: "Recorded when the platform's webhook arrives.",
  },
  'upstream.other': {
    summary: 'The platform reported something that has no type of its own',
    when: 'Recorded for every webhook field that this gateway does not interpret, so that nothing the platform reports is lost.',
  },
  'webhook.disabled': {
    summary: 'An endpoint of yours was disabled after failing for too long, or answering 410',
    when: 'Delivered to your other endpoints. `POST /v1/webhooks/{id}/enable` turns the endpoint on again.',
  },
  'webhook.test': {
    summary: 'You asked for a test event',
    when: 'Recorded by `POST /v1/webhooks/{id}/test`, for that endpoint alone.',
  },
  'message.updated': {
    summary: 'The platform reported something about a message that is no delivery status, such as a payment',
    when: 'Recorded when the report arrives. The status of the message stays as it is.',
  },
  'message.standby': {
    summary: 'A person wrote to one of your numbers while a business agent held the conversation',
    when: 'Recorded in place of `message.received`, so that a bot does not answer by accident.',
  },
  'message.echoed': {
    summary: 'A message was sent from one of your numbers elsewhere: by a business agent or from the app',
    when: "Recorded when the platform's echo arrives. The events of its statuses follow.",
  },
  'window.closing': {
    summary: 'A 24-hour window closes within the hour',
    when: 'Recorded an hour before the end, unless the person writes or calls again. Only for endpoints that name this type.',
  },
  'configuration.changed': {
    summary:
      'A key of yours changed a profile, a setting, a registration, a flow, a group or a template at the platform',
    when: 'Recorded once the platform has accepted a change that the gateway passed on. It names the call, never its body.',
  },
  'opt_out.created': {
    summary: 'A person wants no marketing from one of your numbers',
    when: 'Recorded when a call adds the opt-out, the platform reports it, or a message with a stop word arrives.',
  },
  'opt_out.removed': {
    summary: 'An opt-out has ended',
    when: 'Recorded when a call ends it, or the platform reports that the person wants marketing again.',
  },
};

const eventHeaders = [
  ['webhook-id', "The event's id: the same on every attempt, and in `GET /v1/events`."],
  ['webhook-timestamp', 'Unix seconds of the attempt.'],
  ['webhook-signature', 'Standard Webhooks signatures, separated by spaces.'],
] as const;

/** Returns the `webhooks` section of the OpenAPI file: the requests to endpoints of format `standard`. */
export function webhookOperations(): Record<string, { post: object }> {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: operationOf(type) }]));
}

function operationOf(type: EventType): object {
  const schema = payloadSchema(type);
  return {
    summary: EVENTS[type].summary,
    description: EVENTS[type].when,
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
    requestBody: { required: true, content: { 'application/json': { schema, example: exampleOf(schema) } } },
    responses: { '2XX': { description: 'Received. Any other answer is tried again; 410 disables the endpoint.' } },
  };
}
