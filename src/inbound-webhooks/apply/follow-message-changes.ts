import type { AccountChange } from '../../accounts/index.ts';
import { object, readStoredJson } from '../../core/json/index.ts';
import type { Queryable } from '../../database/database.ts';
import { findSenders, type MessageUpdate, recordMessageUpdates } from '../../messages/index.ts';
import { contactFinder, recipientOf } from '../payload/contact-finder.ts';
import { listOf, textOf, timeMs } from '../payload/upstream-values.ts';

/** Change of an organization's account, reduced to the members that are passed on. */
type OwnedChange = Pick<AccountChange, 'field' | 'raw'> & { organizationId: string };

/** Status in a change, with the event it makes if its message is the organization's. */
interface Reported {
  wamid: string | undefined;
  update: MessageUpdate | undefined;
}

/**
 * Records statuses under `messages` that are no delivery statuses as updates of their messages. Returns the changes without these
 * statuses, and without the statuses of messages that a former owner of the number sent.
 */
export async function followMessageChanges<Change extends OwnedChange>(
  tx: Queryable,
  changes: readonly Change[],
  nowMs: number,
): Promise<Change[]> {
  const read = changes.map((change) => ({
    change,
    reported: change.field === 'messages' ? readStatuses(change, nowMs) : [],
  }));
  const reported = read.flatMap((one) => one.reported);
  if (reported.length === 0) return [...changes];
  const recorded = await recordMessageUpdates(
    tx,
    reported.flatMap(({ update }) => update ?? []),
    nowMs,
  );
  const unrecorded = reported.filter(({ update }) => update === undefined || !recorded.has(update));
  const senders = await findSenders(
    tx,
    unrecorded.flatMap(({ wamid }) => (wamid === undefined ? [] : [{ wamid }])),
  );
  return read.flatMap(({ change, reported: statuses }) => {
    const isForeign = ({ wamid }: Reported) =>
      wamid !== undefined && (senders.get(wamid) ?? change.organizationId) !== change.organizationId;
    const isLeft = (one: Reported) => !(one.update !== undefined && recorded.has(one.update)) && !isForeign(one);
    if (statuses.every(isLeft)) return [change];
    // `contacts` may name the recipient of another organization's message.
    const raw = withoutStatuses(change.raw, statuses.map(isLeft), { dropsContacts: statuses.some(isForeign) });
    return raw === undefined ? [] : [{ ...change, raw }];
  });
}

function readStatuses({ raw, organizationId }: OwnedChange, nowMs: number): Reported[] {
  const { value, rawOf } = readStoredJson(raw);
  const findContact = contactFinder(listOf(value.contacts));
  return listOf(value.statuses).map((status, index) => {
    const wamid = textOf(status.id);
    if (wamid === undefined) return { wamid, update: undefined };
    const contact = findContact(recipientOf(status));
    const members = object([
      ['contacts', contact === undefined ? undefined : `[${rawOf(['contacts', contact])}]`],
      ['statuses', `[${rawOf(['statuses', index])}]`],
    ]);
    return { wamid, update: { organizationId, wamid, atMs: timeMs(status.timestamp, nowMs), value: members } };
  });
}

/** Returns the value without some of its statuses; undefined if only its frame is left. */
function withoutStatuses(
  raw: string,
  isLeft: readonly boolean[],
  { dropsContacts }: { dropsContacts: boolean },
): string | undefined {
  const { value, rawOf } = readStoredJson(raw);
  const statuses = isLeft.flatMap((left, index) => (left ? (rawOf(['statuses', index]) ?? []) : []));
  const members = Object.keys(value).flatMap((name): [string, string | undefined][] => {
    if (name === 'contacts' && dropsContacts) return [];
    if (name !== 'statuses') return [[name, rawOf([name])]];
    return statuses.length === 0 ? [] : [[name, `[${statuses.join(',')}]`]];
  });
  const frame = new Set(['messaging_product', 'metadata', 'contacts']);
  return members.every(([name]) => frame.has(name)) ? undefined : object(members);
}
