import { type AccountChange, findNamedNumbers, lockWabas, type NamedNumber } from '../accounts/index.ts';
import { membersOf, object, readStoredJson } from '../core/json/index.ts';
import { storableText } from '../core/storable-text.ts';
import type { Queryable } from '../database/database.ts';
import { recordEvents } from '../events/index.ts';
import { findSenders } from '../messages/index.ts';

/** Fields whose changes have event types of their own. */
const KNOWN_FIELDS = new Set([
  'message_template_status_update',
  'message_template_quality_update',
  'template_category_update',
  'phone_number_quality_update',
  'phone_number_name_update',
  'account_update',
  'account_review_update',
  'business_capability_update',
]);

/**
 * Passes on what the upstream tells under fields nobody here acts on, so that a new one needs no new version of Fairway. What it tells of
 * messages that another organization has sent, which had the number before, is left out.
 */
export async function followUnknownChanges(
  tx: Queryable,
  changes: readonly AccountChange[],
  nowMs: number,
): Promise<void> {
  const unknown = changes.filter((change) => !KNOWN_FIELDS.has(change.field));
  if (unknown.length === 0) return;
  const owners = await lockWabas(tx, [...new Set(unknown.map((change) => change.wabaId))]);
  const told = unknown.flatMap((change) => {
    const organizationId = owners.get(change.wabaId);
    return organizationId === undefined ? [] : [{ ...change, organizationId, ...numberNamedBy(change) }];
  });
  const owned = await withoutForeign(tx, told);
  const numberIds = await findNamedNumbers(tx, owned);
  await recordEvents(
    tx,
    owned.map((change, index) => ({
      id: change.id,
      organizationId: change.organizationId,
      type: 'upstream.other' as const,
      wabaId: change.wabaId,
      numberId: numberIds[index],
      occurredAtMs: change.atMs ?? nowMs,
      detail: '{}',
      upstream: { field: change.field, value: change.raw },
    })),
  );
}

/** Changes without statuses of what other organizations have sent, and then without `contacts`, which may name whom that went to. */
async function withoutForeign<Change extends Pick<AccountChange, 'field' | 'raw'> & { organizationId: string }>(
  tx: Queryable,
  changes: readonly Change[],
): Promise<Change[]> {
  const read = changes.map((change) => ({ change, wamids: change.field === 'messages' ? listWamids(change.raw) : [] }));
  const told = read.flatMap(({ wamids }) => wamids.map((wamid) => ({ wamid })));
  if (told.length === 0) return [...changes];
  const senders = await findSenders(tx, told);
  return read.flatMap(({ change, wamids }) => {
    const { organizationId } = change;
    const isOwn = wamids.map((wamid) => (senders.get(wamid) ?? organizationId) === organizationId);
    if (isOwn.every(Boolean)) return [change];
    const { rawOf } = readStoredJson(change.raw);
    const statuses = isOwn.flatMap((own, index) => (own ? (rawOf(['statuses', index]) ?? []) : []));
    const errors = rawOf(['errors']);
    if (statuses.length === 0 && errors === undefined) return [];
    const raw = object([
      ['messaging_product', rawOf(['messaging_product'])],
      ['metadata', rawOf(['metadata'])],
      ['statuses', statuses.length === 0 ? undefined : `[${statuses.join(',')}]`],
      ['errors', errors],
    ]);
    return [{ ...change, raw }];
  });
}

/** The messages that the statuses of a value are about, in their order. */
function listWamids(raw: string): string[] {
  const { statuses } = readStoredJson(raw).value;
  const list = Array.isArray(statuses) ? statuses.map(membersOf) : [];
  return list.map(({ id }) => (typeof id === 'string' ? storableText(id) : ''));
}

/** The number a change is about: by its id, as in webhooks of messages, or by its digits, as elsewhere. */
function numberNamedBy({ value }: AccountChange): Pick<NamedNumber, 'phoneNumberId' | 'phoneNumber'> {
  const id = membersOf(value.metadata).phone_number_id;
  const shown = value.display_phone_number;
  return {
    phoneNumberId: typeof id === 'string' && /^\d+$/.test(id) ? id : undefined,
    phoneNumber: typeof shown === 'string' ? shown.replace(/\D/g, '') : undefined,
  };
}
