import { AppError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { type JsonPath, membersOf, quoted, replaceValue } from '../../core/json/index.ts';
import type { Queryable } from '../../database/database.ts';
import { type Caller, checkOwnNumber } from '../../http/index.ts';
import { findReferred } from '../queries.ts';
import { STATUS } from '../statuses/message-status.ts';

/** The gateway's id of another message in a body, and the place where it stands. */
export interface MessageReference {
  messageId: string;
  path: JsonPath;
}

/** Replacement of a gateway's id by the platform's. */
export interface ResolvedReference {
  wamid: string;
  path: JsonPath;
}

/** Finds the gateway's ids of messages at these places of a body: texts in the form of a UUID, which the platform's ids never have. */
export function findReferences(
  value: Readonly<Record<string, unknown>>,
  places: readonly JsonPath[],
): MessageReference[] {
  return places.flatMap((path) => {
    const id = path.reduce<unknown>((parent, step) => membersOf(parent)[step], value);
    return typeof id === 'string' && isUuid(id) ? [{ messageId: id.toLowerCase(), path }] : [];
  });
}

/**
 * Returns the wamids of the messages that a body refers to. An id that is no message of the organization is left out and travels on as
 * sent, whether it is unknown or another organization's. Raises CONFLICT if a message has no wamid, FORBIDDEN if the key is limited to
 * other numbers than that of the message: a wamid contains the person's phone number, and the platform's refusal would show it.
 */
export async function resolveReferences(
  db: Queryable,
  caller: Pick<Caller, 'organizationId' | 'limits'>,
  references: readonly MessageReference[],
): Promise<ResolvedReference[]> {
  const resolved: ResolvedReference[] = [];
  for (const { messageId, path } of references) {
    const referred = await findReferred(db, caller.organizationId, messageId);
    if (referred === undefined) continue;
    checkOwnNumber(caller, referred.phoneNumberId);
    if (referred.wamid === null) throw withoutWamid(messageId, referred.status);
    resolved.push({ wamid: referred.wamid, path });
  }
  return resolved;
}

function withoutWamid(messageId: string, status: number): AppError {
  return new AppError('CONFLICT', `The message ${messageId} ${reasonOf(status)}`);
}

/** Returns why a message with this status has no wamid. */
function reasonOf(status: number): string {
  if (status === STATUS.queued)
    return 'has no id of the upstream platform yet, because it is still queued. Try again once it is sent.';
  if (status === STATUS.failed) return 'failed before the upstream platform gave it an id, so nothing can refer to it.';
  return 'has no id of the upstream platform any more, because its contents were erased, so nothing can refer to it.';
}

/** Returns a body with the platform's ids in the places of the gateway's. Every other byte stays. */
export function withWamids(text: string, resolved: readonly ResolvedReference[]): string {
  return resolved.reduce((spliced, { path, wamid }) => replaceValue(spliced, path, quoted(wamid)), text);
}
