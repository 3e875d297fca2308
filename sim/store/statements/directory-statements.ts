import { number, rowsOf, text, time } from '../columns.ts';
import { type Row, reading, type StatementModel } from '../model-store.ts';
import { conversationKey, type NumberRow } from '../tables.ts';

function numberRow(row: NumberRow): Row {
  return {
    organizationId: row.organizationId,
    phoneNumberId: row.phoneNumberId,
    accountId: row.accountId,
    numberId: row.numberId,
    wabaId: row.wabaId,
    phoneNumber: row.phoneNumber,
    verifiedName: null,
    status: 'CONNECTED',
    registered: true,
    qualityRating: null,
    messagingLimit: null,
    throughputLevel: null,
    isOnBizApp: false,
    ownPace: row.messagesPerSecond,
    paused: row.paused,
    parkedCode: null,
    parkedReason: null,
    released: row.released,
  };
}

const findNumbers = reading(({ tables }, values) => {
  const wanted = new Set(values[0] as string[]);
  return [...tables.numbers.values()].filter((row) => wanted.has(row.phoneNumberId) && !row.released).map(numberRow);
});

const listNumbers = reading(({ tables }, values) => {
  const wanted = new Set(values[0] as number[]);
  return [...tables.numbers.values()].filter((row) => wanted.has(row.numberId)).map(numberRow);
});

const findTokens = reading(({ tables }, values) => {
  const wanted = new Set(values[0] as string[]);
  const numbers = [...tables.numbers.values()].filter(({ wabaId, released }) => wanted.has(wabaId) && !released);
  return [...Map.groupBy(numbers, ({ wabaId }) => wabaId)].map(([wabaId, [owner]]) => ({
    wabaId,
    organizationId: owner?.organizationId,
    tokenSealed: Buffer.alloc(0),
    version: 1,
    platform: null,
  }));
});

const findOrganizations = reading(({ tables }, values) => {
  return (values[0] as string[]).flatMap((organizationId) => {
    const found = tables.organizations.get(organizationId);
    if (found === undefined) return [];
    const { plan: _, ...settings } = found;
    return [{ ...settings, name: 'organization', createdAt: new Date(0) }];
  });
});

const findPlans = reading(({ tables }, values) => {
  return (values[0] as string[]).flatMap((organizationId) => {
    const plan = tables.organizations.get(organizationId)?.plan;
    if (plan === undefined) return [];
    const unlimited = { requestsPerSecond: null, keyRequestsPerSecond: null, queueMax: null };
    const everything = { messageTypes: null, templateCategories: null, priceMicros: {} };
    return [{ organizationId, name: 'plan', active: true, ...unlimited, ...everything, ...plan }];
  });
});

const findLastInbound = reading(({ tables }, values) => {
  return rowsOf(values, 0, ['organizationId', 'numberId', 'contact']).flatMap((key, index) => {
    const atMs = tables.conversations.get(
      conversationKey(text(key.organizationId), number(key.numberId), text(key.contact)),
    );
    return atMs === undefined ? [] : [{ ord: index + 1, last_inbound_at: new Date(atMs) }];
  });
});

const recordInbound: StatementModel = function* recordInbound(session, values) {
  const { tables } = session;
  const told = rowsOf(values, 0, ['organizationId', 'numberId', 'contact', 'at']).map((row) => ({
    key: conversationKey(text(row.organizationId), number(row.numberId), text(row.contact)),
    atMs: time(row.at),
  }));
  yield told.map(({ key }) => `conversation/${key}`).sort();
  for (const { key, atMs } of told) {
    session.write(() => tables.conversations.set(key, Math.max(tables.conversations.get(key) ?? 0, atMs)));
  }
  return [];
};

/** Nobody follows what is told here: what remembers anything reads it again in time. */
const publishChanges = reading(() => []);

export const directoryStatements: Record<string, StatementModel> = {
  sending_number_find: findNumbers,
  sending_number_list_by_id: listNumbers,
  waba_find_token: findTokens,
  organization_find: findOrganizations,
  publish_changes: publishChanges,
  plan_find: findPlans,
  conversation_find_last_inbound: findLastInbound,
  conversation_record_inbound: recordInbound,
};
