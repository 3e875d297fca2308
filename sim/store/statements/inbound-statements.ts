import { INBOUND } from '../../../src/messages/inbound/inbound-queries.ts';
import { byText, number, text, textOrNull, time } from '../columns.ts';
import type { StatementModel } from '../model-store.ts';
import type { MessageRow } from '../tables.ts';

const insertInbound: StatementModel = function* insertInbound(session, values) {
  const { tables } = session;
  const acceptedAtMs = time(values[0]);
  const input = INBOUND.parse(values);
  yield input.map((row) => `wamid/${text(row.wamid_digest)}`).sort(byText);
  const added = input.filter((row) => !tables.wamids.has(text(row.wamid_digest)));
  for (const row of added) {
    const message: MessageRow = {
      organizationId: text(row.organization_id),
      id: text(row.id),
      numberId: number(row.number_id),
      direction: 1,
      contact: textOrNull(row.contact),
      person: textOrNull(row.person),
      userId: textOrNull(row.user_id),
      type: text(row.type),
      templateName: null,
      templateLanguage: null,
      category: null,
      pricingType: null,
      pricingRank: 0,
      priceMicros: 0,
      country: null,
      prices: null,
      apiKeyId: null,
      body: text(row.body),
      callbackData: null,
      status: 5,
      wamid: text(row.wamid),
      upstreamStatus: null,
      acceptedAtMs,
      sentAtMs: time(row.at),
      deliveredAtMs: null,
      readAtMs: null,
      failedAtMs: null,
      errorCode: null,
      errorMessage: null,
      told: 0,
    };
    session.write(() => {
      tables.wamids.set(text(row.wamid_digest), { organizationId: message.organizationId, messageId: message.id });
      tables.messages.set(message.id, message);
    });
  }
  return added.map(({ wamid }) => ({ wamid }));
};

export const inboundStatements: Record<string, StatementModel> = {
  message_insert_inbound: insertInbound,
};
