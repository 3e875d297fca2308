import { INBOUND, NAMES } from '../../../src/conversations/queries.ts';
import { number, text, textOrNull, time } from '../columns.ts';
import { reading, type StatementModel } from '../model-store.ts';
import { aliasKey, conversationKey } from '../tables.ts';
import { keyOfName, nameLocks } from './people-statements.ts';

const findOrganizations = reading(({ tables }, values) => {
  return (values[0] as string[]).flatMap((organizationId) => {
    const found = tables.organizations.get(organizationId);
    if (found === undefined) return [];
    const { plan: _, marketingChangedAtMs: __, ...settings } = found;
    const defaults = {
      phoneNumbers: 'upstream',
      toWithoutPlus: false,
      contactsAsText: false,
      optOutWords: [],
      retention: {},
      keepBodies: 'until_expiry',
      hasOptOuts: false,
    };
    return [{ ...settings, ...defaults, name: 'organization', createdAt: new Date(0) }];
  });
});

const findPlans = reading(({ tables }, values) => {
  return (values[0] as string[]).flatMap((organizationId) => {
    const plan = tables.organizations.get(organizationId)?.plan;
    if (plan === undefined) return [];
    const unlimited = { requestsPerSecond: null, keyRequestsPerSecond: null, queueMax: null };
    const everything = {
      ...{ messageTypes: null, templateCategories: null, priceMicros: {} },
      ...{ freeServiceMessages: null, rates: [] },
    };
    return [{ organizationId, name: 'plan', active: true, ...unlimited, ...everything, ...plan }];
  });
});

const findLastInbound = reading(({ tables }, values) => {
  return NAMES.parse(values).flatMap((name, index) => {
    const contact = keyOfName(tables, name, text(name.name)) ?? '';
    const [organizationId, numberId] = [text(name.organization_id), number(name.number_id)];
    const times = [contact, textOrNull(name.respelt) ?? contact].flatMap(
      (key) => tables.conversations.get(conversationKey(organizationId, numberId, key)) ?? [],
    );
    return times.length === 0 ? [] : [{ ord: index + 1, last_inbound_at: new Date(Math.max(...times)) }];
  });
});

const recordInbound: StatementModel = function* recordInbound(session, values) {
  const { tables } = session;
  const input = INBOUND.parse(values);
  const nameOf = (row: (typeof input)[number]) =>
    aliasKey(text(row.organization_id), text(row.waba_id), text(row.name));
  const names = new Map(input.flatMap((row) => (tables.aliases.has(nameOf(row)) ? [[row, nameOf(row)]] : [])));
  yield nameLocks(names.values());
  const opened = input.map((row) => {
    const contact = tables.aliases.get(names.get(row) ?? '')?.person ?? text(row.contact);
    const key = conversationKey(text(row.organization_id), number(row.number_id), contact);
    return { key, atMs: time(row.last_inbound_at) };
  });
  yield opened.map(({ key }) => `conversation/${key}`).sort();
  for (const { key, atMs } of opened) {
    session.write(() => tables.conversations.set(key, Math.max(tables.conversations.get(key) ?? 0, atMs)));
  }
  return [];
};

export const directoryStatements: Record<string, StatementModel> = {
  organization_find: findOrganizations,
  plan_find: findPlans,
  conversation_find_last_inbound: findLastInbound,
  conversation_record_inbound: recordInbound,
};
