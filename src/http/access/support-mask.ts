import type { onSendHookHandler } from 'fastify';
import { maskWamids } from '../../core/ids.ts';
import { isObject } from '../../core/json/index.ts';
import { forbidden } from './key-limits.ts';

/** Members that hold a phone number. Its last two digits stay, so that two numbers can be told apart. */
const PHONE_NUMBERS = new Set([
  'phone_number',
  'display_phone_number',
  'sender_phone',
  'recipient_phone',
  'recipient',
  'test_recipient',
  'person',
  'to',
  'from',
  'wa_id',
  'user_id',
]);
/** Members that hold what people wrote, or the platform's webhooks with all of it. */
const CONTENTS = new Set(['body', 'text', 'payload', 'payload_base64']);
/** Members of the API for organizations that hold what people wrote or were sent, their names, or the platform's words with all of it. */
const TENANT_CONTENTS = new Set([
  ...CONTENTS,
  ...['content', 'components', 'message', 'contact', 'update', 'value', 'biz_opaque_callback_data'],
]);
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

/** Returns JSON text without phone numbers, wamids and contents of messages. Everything inside of contents is masked, unless it names a kind. */
export function maskForSupport(json: string, contents: ReadonlySet<string> = CONTENTS): string {
  return JSON.stringify(JSON.parse(json), function mask(this: unknown, key: string, value: unknown) {
    if (contents.has(key)) return maskContents(value);
    if (typeof value !== 'string') return value;
    return PHONE_NUMBERS.has(key) ? maskNumber(value) : maskWamids(value, `wamid.${MASK}`);
  });
}

/**
 * Masks the answers to operators with the role `support`, and withholds an answer that cannot be masked. The only place that does, for every
 * route of the admin API and of the API for organizations. Raises FORBIDDEN.
 */
export const maskAnswers: onSendHookHandler = (request, reply, payload, done) => {
  if (request.operator?.role !== 'support' || reply.statusCode >= 300 || isEmpty(payload)) return done(null, payload);
  const type = String(reply.getHeader('content-type'));
  if (type.startsWith('text/plain')) return done(null, payload);
  if (!type.startsWith('application/json') || !(typeof payload === 'string' || Buffer.isBuffer(payload))) {
    return done(forbidden('The role "support" does not see this content.'));
  }
  if (request.routeOptions.config.isContents)
    return done(null, JSON.stringify(maskContents(JSON.parse(String(payload)))));
  done(null, maskForSupport(String(payload), request.caller === null ? CONTENTS : TENANT_CONTENTS));
};

function isEmpty(payload: unknown): boolean {
  return payload === undefined || payload === null || payload === '';
}

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
