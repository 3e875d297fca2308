import type { onSendHookHandler } from 'fastify';
import { isObject } from '../../core/json/index.ts';

/** Members that hold a phone number. Its last two digits stay, so that two numbers can be told apart. */
const PHONE_NUMBERS = new Set([
  'phone_number',
  'display_phone_number',
  'sender_phone',
  'recipient',
  'to',
  'from',
  'wa_id',
  'user_id',
]);
/** Members that hold what people wrote, or the platform's webhooks with all of it. */
const CONTENTS = new Set(['body', 'text', 'payload', 'payload_base64']);
/** Members inside contents that say what kind of thing it is, and nothing about people. */
const KINDS = new Set([
  'object',
  'field',
  'type',
  'status',
  'timestamp',
  'messaging_product',
  'event',
  'code',
  'errors',
]);
const MASK = '•••';

/** Returns JSON text without phone numbers and contents of messages. Everything inside of contents is masked, unless it names a kind. */
export function maskForSupport(json: string): string {
  return JSON.stringify(JSON.parse(json), function mask(this: unknown, key: string, value: unknown) {
    if (CONTENTS.has(key)) return maskContents(value);
    return PHONE_NUMBERS.has(key) && typeof value === 'string' ? maskNumber(value) : value;
  });
}

/** Masks the answers to operators with the role `support`. The only place that does, for every route of the admin API. */
export const maskAnswers: onSendHookHandler = (request, reply, payload, done) => {
  const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
  const masks = request.operator?.role === 'support' && isJson && reply.statusCode < 300;
  done(null, masks && typeof payload === 'string' ? maskForSupport(payload) : payload);
};

function maskNumber(number: string): string {
  return MASK + number.slice(-2);
}

function maskContents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskContents);
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        KINDS.has(key) && !isObject(member) && !Array.isArray(member) ? member : maskContents(member),
      ]),
    );
  }
  return value === null || typeof value === 'boolean' ? value : MASK;
}
