import { invalid } from '../../core/errors.ts';
import { isUuid, USER_ID_PATTERN } from '../../core/ids.ts';
import { type Query, readInteger, readMatching, readNumberId, readText, readTime } from '../../http/index.ts';
import { STATUS } from '../statuses/message-status.ts';

const USER_ID = new RegExp(USER_ID_PATTERN);

/** Conditions of a message list; absent members do not narrow it. Times are epoch milliseconds. */
export interface MessageFilter {
  /** Only messages before this one in the list, newest first. */
  after: string | undefined;
  phoneNumberId: string | undefined;
  /** The person's number, digits. */
  recipient: string | undefined;
  /** The person's user id. */
  userId: string | undefined;
  status: number | undefined;
  type: string | undefined;
  template: string | undefined;
  direction: number | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
  errorCode: string | undefined;
  /** The upstream's id. */
  wamid: string | undefined;
  callbackData: string | undefined;
  limit: number;
}

export const MESSAGES_PER_PAGE_MAX = 200;

/** Reads the query of a list of messages. Raises VALIDATION_ERROR. */
export function readMessageFilter(query: Query): MessageFilter {
  const after = readText(query, 'after');
  if (after !== undefined && !isUuid(after)) {
    throw invalid('"after" must be what an earlier answer gave as "next".');
  }
  // A plus sign that was not percent-encoded arrives as a space.
  const recipient = readMatching(query, 'recipient', /^[+ ]?\d{5,18}$/, 'a phone number in digits');
  return {
    after: after?.toLowerCase(),
    phoneNumberId: readNumberId(query, 'number'),
    recipient: recipient?.replace(/\D/, ''),
    userId: readMatching(query, 'user_id', USER_ID, 'a user id, such as US.13491208655302741918'),
    status: readWord(query, 'status', STATUS),
    type: readStored(query, 'type'),
    template: readStored(query, 'template'),
    direction: readWord(query, 'direction', { outbound: 0, inbound: 1 }),
    fromMs: readTime(query, 'from'),
    toMs: readTime(query, 'to'),
    errorCode: readStored(query, 'error_code'),
    wamid: readStored(query, 'message_id'),
    callbackData: readStored(query, 'biz_opaque_callback_data'),
    limit: readInteger(query, 'limit', { min: 1, max: MESSAGES_PER_PAGE_MAX, fallback: 50 }),
  };
}

/** Reads a text to compare with a stored one, which never holds a NUL. */
function readStored(query: Query, name: string): string | undefined {
  return readMatching(query, name, /^[^\0]*$/, 'text without NUL');
}

function readWord(query: Query, name: string, words: Readonly<Record<string, number>>): number | undefined {
  const word = readText(query, name);
  if (word === undefined) return undefined;
  if (!Object.hasOwn(words, word)) {
    throw invalid(`"${name}" must be one of ${Object.keys(words).join(', ')}.`);
  }
  return words[word];
}
