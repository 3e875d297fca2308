import { isObject, membersOf } from '../../core/json/index.ts';
import type { MessageOrigin } from '../../core/message-origins.ts';
import type { MessagePerson, OutsideMessage } from '../../messages/index.ts';
import type { PersonNames } from '../../people/index.ts';
import { personNames } from './contact-finder.ts';
import type { ChangeValue } from './rest-of-value.ts';
import { digits, listOf, textOf, timeMs } from './upstream-values.ts';

/** Message of a connected number, of any organization, that came about outside of the gateway. */
export interface ReportedOutside extends Omit<OutsideMessage, 'organizationId' | 'numberId' | keyof MessagePerson> {
  phoneNumberId: string;
  person: PersonNames;
  /** Business account that it is reported under. */
  wabaId: string | undefined;
}

type Place = Pick<ReportedOutside, 'phoneNumberId' | 'wabaId'> & { receivedAtMs: number };

/** Statuses of messages in a history sync; every other word counts as sent. */
const HISTORY_STATUSES: Readonly<Record<string, OutsideMessage['status']>> = {
  DELIVERED: 'delivered',
  READ: 'read',
  PLAYED: 'read',
  ERROR: 'failed',
};

/**
 * Reads the echoes in a value, or in the member `standby` of one: messages that the business sent elsewhere. An echo is a message with `to`,
 * or has the body of a send in its member `message`.
 */
export function readEchoes(
  { document, path, value }: ChangeValue,
  source: { field: string; origin: MessageOrigin },
  { receivedAtMs, ...place }: Place,
): ReportedOutside[] {
  return listOf(value.message_echoes).flatMap((echo, index) => {
    const wamid = textOf(echo.id);
    const echoPath = [...path, 'message_echoes', index];
    const raw = document.rawOf(echoPath);
    if (wamid === undefined || raw === undefined) return [];
    const isNested = isObject(echo.message);
    const message = isNested ? membersOf(echo.message) : echo;
    return [
      {
        ...place,
        ...contentsOf(message),
        wamid,
        direction: 'outbound' as const,
        origin: source.origin,
        person: recipientNames(message),
        status: 'sent' as const,
        atMs: timeMs(echo.timestamp, receivedAtMs),
        body: (isNested ? document.rawOf([...echoPath, 'message']) : undefined) ?? raw,
        event: { field: source.field, value: `{"message_echoes":[${raw}]}` },
      },
    ];
  });
}

/**
 * Reads the messages in a chunk of the history that the business app hands over: in its threads, and beside them those whose files are
 * handed over later.
 */
export function readHistory(change: ChangeValue, place: Place): ReportedOutside[] {
  const { path, value } = change;
  const ours = textOf(membersOf(value.metadata).display_phone_number)?.replace(/\D/g, '');
  const inThreads = listOf(value.history).flatMap((chunk, chunkIndex) =>
    listOf(chunk.threads).flatMap((thread, threadIndex) => {
      const listPath = [...path, 'history', chunkIndex, 'threads', threadIndex, 'messages'];
      return readPast(change, { list: thread.messages, listPath, ours, person: threadNames(thread) }, place);
    }),
  );
  const files = { list: value.messages, listPath: [...path, 'messages'], ours, person: undefined };
  return [...inThreads, ...readPast(change, files, place)];
}

function readPast(
  { document }: ChangeValue,
  thread: { list: unknown; listPath: ChangeValue['path']; ours: string | undefined; person: PersonNames | undefined },
  { receivedAtMs, ...place }: Place,
): ReportedOutside[] {
  return listOf(thread.list).flatMap((message, index) => {
    const wamid = textOf(message.id);
    const body = document.rawOf([...thread.listPath, index]);
    if (wamid === undefined || body === undefined) return [];
    const from = numberOf(message.from);
    const isOurs = message.to !== undefined || (from !== undefined && from === thread.ours);
    const told = textOf(membersOf(message.history_context).status) ?? '';
    return [
      {
        ...place,
        ...contentsOf(message),
        wamid,
        direction: isOurs ? ('outbound' as const) : ('inbound' as const),
        origin: 'history' as const,
        person: thread.person ?? (isOurs ? recipientNames(message) : senderNames(message)),
        status: isOurs ? (HISTORY_STATUSES[told.toUpperCase()] ?? ('sent' as const)) : ('received' as const),
        atMs: timeMs(message.timestamp, receivedAtMs),
        body,
        event: undefined,
      },
    ];
  });
}

function contentsOf(
  message: Readonly<Record<string, unknown>>,
): Pick<OutsideMessage, 'type' | 'templateName' | 'templateLanguage'> {
  const type = textOf(message.type) ?? 'unknown';
  const template = type === 'template' ? membersOf(message.template) : {};
  const templateName = textOf(template.name);
  const language = textOf(membersOf(template.language).code) ?? textOf(template.language);
  return { type, templateName, templateLanguage: templateName === undefined ? undefined : language };
}

function senderNames(message: Readonly<Record<string, unknown>>): PersonNames {
  const { from, from_user_id: userId, from_parent_user_id: parentUserId } = message;
  return personNames({ number: numberOf(from), userId, parentUserId });
}

/** Returns the names of the person that the body of a send, or an echo of one, is to. */
function recipientNames(message: Readonly<Record<string, unknown>>): PersonNames {
  const { to, recipient, to_user_id, recipient_user_id, to_parent_user_id, recipient_parent_user_id } = message;
  return personNames({
    number: numberOf(to),
    userId: to_user_id ?? recipient_user_id ?? recipient,
    parentUserId: to_parent_user_id ?? recipient_parent_user_id,
  });
}

/** Returns the names of a thread's person; undefined if it states none. Its id is a phone number, or a user id. */
function threadNames({ id, user_id }: Readonly<Record<string, unknown>>): PersonNames | undefined {
  const number = numberOf(id);
  const names = personNames({
    number,
    userId: user_id ?? (number === undefined ? id : undefined),
    parentUserId: undefined,
  });
  return names.numbers.length + names.userIds.length === 0 ? undefined : names;
}

/** Returns a number in digits; a send's `to` may have a `+`. */
function numberOf(value: unknown): string | undefined {
  return digits(typeof value === 'string' ? value.replace(/^\+/, '') : undefined);
}
