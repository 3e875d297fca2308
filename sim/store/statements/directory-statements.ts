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
    paused: false,
    parkedCode: null,
    parkedReason: null,
  };
}

const findNumber = reading(({ tables }, values) => {
  const found = tables.numbers.get(text(values[0]));
  return found === undefined ? [] : [numberRow(found)];
});

const listNumbers = reading(({ tables }, values) => {
  const wanted = new Set(values[0] as number[]);
  return [...tables.numbers.values()].filter((row) => wanted.has(row.numberId)).map(numberRow);
});

const findToken = reading(({ tables }, values) => {
  const owner = [...tables.numbers.values()].find(({ wabaId }) => wabaId === values[0])?.organizationId;
  return owner === undefined ? [] : [{ organizationId: owner, tokenSealed: Buffer.alloc(0), version: 1 }];
});

const findOrganization = reading(({ tables }, values) => {
  const found = tables.organizations.get(text(values[0]));
  if (found === undefined) return [];
  const { plan: _, ...settings } = found;
  return [{ ...settings, name: 'organization', createdAt: new Date(0) }];
});

const findPlan = reading(({ tables }, values) => {
  const plan = tables.organizations.get(text(values[0]))?.plan;
  if (plan === undefined) return [];
  return [
    {
      name: 'plan',
      active: true,
      messageTypes: null,
      templateCategories: null,
      requestsPerSecond: null,
      keyRequestsPerSecond: null,
      queueMax: null,
      priceMicros: {},
      ...plan,
    },
  ];
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
  sending_number_find: findNumber,
  sending_number_list_by_id: listNumbers,
  waba_find_token: findToken,
  organization_find: findOrganization,
  publish_changes: publishChanges,
  plan_find: findPlan,
  conversation_find_last_inbound: findLastInbound,
  conversation_record_inbound: recordInbound,
};
