import { digitsOf } from '../core/phone-number.ts';
import { arrayTable } from '../database/batching/array-table.ts';
import type { Queryable } from '../database/database.ts';
import type { UpstreamNumber } from '../upstream/index.ts';
import type { WebhookOverride } from './connect/webhook-override.ts';
import { UNPARKED } from './follow/parking-queries.ts';
import type { StoredToken } from './keys/token.ts';
import { isMarketingReady } from './marketing/marketing-queries.ts';
import { TEST_PLATFORM } from './platform.ts';
import { isRegistered, type SendingNumber, upstreamPaceOf } from './sending-number.ts';
import type { Waba } from './waba.ts';

const SELECT_NUMBERS = `
  SELECT n.organization_id AS "organizationId", coalesce(n.phone_number_id, n.former_phone_number_id) AS "phoneNumberId",
    n.account_id AS "accountId", n.number_id AS "numberId", coalesce(n.waba_id, n.former_waba_id) AS "wabaId",
    n.phone_number AS "phoneNumber",
    n.verified_name AS "verifiedName", n.status, n.registered, n.quality_rating AS "qualityRating",
    n.messaging_limit AS "messagingLimit", n.throughput_level AS "throughputLevel", n.is_on_biz_app AS "isOnBizApp",
    n.webhook_override AS "webhookOverride",
    n.messages_per_second AS "ownPace", n.paused, n.released_at IS NOT NULL AS released,
    w.app_id AS "appId", w.marketing_messages AS "marketingMessages", ${isMarketingReady('w')} AS "isMarketingReady",
    coalesce(w.parked_code, n.parked_code) AS "parkedCode",
    CASE WHEN w.parked_code IS NULL THEN n.parked_reason ELSE w.parked_reason END AS "parkedReason"
  FROM sending_number AS n LEFT JOIN waba AS w USING (organization_id, waba_id)`;

type NumberRow = Omit<SendingNumber, 'messagesPerSecond' | 'parked'> & {
  ownPace: number | null;
  parkedCode: string | null;
  parkedReason: string | null;
};

/** Returns the connected numbers with these upstream ids, by id, of any organization. */
export async function findNumbersByUpstreamId(
  db: Queryable,
  phoneNumberIds: readonly string[],
): Promise<Map<string, SendingNumber>> {
  const rows = await db.query<NumberRow>({
    name: 'sending_number_find',
    text: `${SELECT_NUMBERS} WHERE n.phone_number_id = ANY ($1::text[])`,
    values: [phoneNumberIds],
  });
  return new Map(rows.map((row) => [row.phoneNumberId, toNumber(row)]));
}

/** Returns a connected number by the upstream's id, of any organization. */
export async function findNumberByUpstreamId(db: Queryable, phoneNumberId: string): Promise<SendingNumber | undefined> {
  return (await findNumbersByUpstreamId(db, [phoneNumberId])).get(phoneNumberId);
}

/** Returns the number with these digits; a registered one is preferred, then the newest. */
export async function findNumberByPhone(
  db: Queryable,
  organizationId: string,
  digits: string,
): Promise<SendingNumber | undefined> {
  const rows = await db.query<NumberRow>({
    name: 'sending_number_find_by_digits',
    text: `
      ${SELECT_NUMBERS} WHERE n.organization_id = $1 AND n.phone_number = $2 AND n.released_at IS NULL
      ORDER BY n.registered DESC, n.number_id DESC LIMIT 1`,
    values: [organizationId, digits],
  });
  return rows.map(toNumber)[0];
}

/** Returns the numbers with these small ids, of any organization, including released ones. */
export async function listNumbersById(db: Queryable, numberIds: readonly number[]): Promise<SendingNumber[]> {
  const rows = await db.query<NumberRow>({
    name: 'sending_number_list_by_id',
    text: `${SELECT_NUMBERS} WHERE n.number_id = ANY ($1::int[])`,
    values: [numberIds],
  });
  return rows.map(toNumber);
}

/** Returns the newest numbers of an organization. */
export async function listNumbersOfOrganization(
  db: Queryable,
  organizationId: string,
  numbersMax: number,
): Promise<SendingNumber[]> {
  const rows = await db.query<NumberRow>({
    name: 'sending_number_list',
    text: `
      ${SELECT_NUMBERS} WHERE n.organization_id = $1 AND n.released_at IS NULL ORDER BY n.number_id DESC LIMIT $2`,
    values: [organizationId, numbersMax],
  });
  return rows.map(toNumber);
}

/** Returns the numbers of a WABA, oldest first; none if it is another organization's. */
export async function listNumbersOfWaba(
  db: Queryable,
  organizationId: string,
  wabaId: string,
): Promise<SendingNumber[]> {
  const rows = await db.query<NumberRow>({
    name: 'sending_number_list_of_waba',
    text: `${SELECT_NUMBERS} WHERE n.organization_id = $1 AND n.waba_id = $2 ORDER BY n.number_id`,
    values: [organizationId, wabaId],
  });
  return rows.map(toNumber);
}

/** A number from a reading, with its new account id and its override. */
export type ReadNumber = Omit<UpstreamNumber, 'webhooks'> & {
  accountId: string;
  webhookOverride: WebhookOverride | null;
};

/** The numbers of a statement, after their organization, their WABA and the time now. */
const READ_NUMBERS = arrayTable<ReadNumber>(4)({
  phone_number_id: ['text', (number) => number.id],
  account_id: ['uuid', (number) => number.accountId],
  phone_number: ['text', (number) => digitsOf(number.displayPhoneNumber)],
  verified_name: ['text', (number) => number.verifiedName],
  status: ['text', (number) => number.status],
  platform_type: ['text', (number) => number.platformType],
  registered: ['boolean', (number) => isRegistered(number)],
  quality_rating: ['text', (number) => number.qualityRating],
  throughput_level: ['text', (number) => number.throughputLevel],
  is_on_biz_app: ['boolean', (number) => number.isOnBizApp],
  webhook_override: ['jsonb', ({ webhookOverride }) => webhookOverride && JSON.stringify(webhookOverride)],
});

/**
 * Stores the upstream's report of a WABA's numbers. The operator's settings stay, and a known number keeps its account id. Returns the
 * upstream ids stored; numbers of another organization are left out.
 */
export async function upsertNumbers(
  tx: Queryable,
  organizationId: string,
  wabaId: string,
  numbers: readonly ReadNumber[],
  now: Date,
): Promise<string[]> {
  const rows = await tx.query<{ phoneNumberId: string }>({
    text: `
      INSERT INTO sending_number (organization_id, waba_id, created_at, updated_at, ${READ_NUMBERS.names})
      SELECT $1, $2, $3, $3, read.*
      FROM ${READ_NUMBERS.from('read')}
      ORDER BY read.phone_number_id
      ON CONFLICT (phone_number_id) DO UPDATE
      SET waba_id = excluded.waba_id,
        waba_changed_at = CASE WHEN sending_number.waba_id = excluded.waba_id THEN sending_number.waba_changed_at ELSE clock_timestamp() END,
        phone_number = excluded.phone_number, verified_name = excluded.verified_name,
        status = excluded.status, platform_type = excluded.platform_type, registered = excluded.registered,
        quality_rating = excluded.quality_rating, throughput_level = excluded.throughput_level,
        is_on_biz_app = excluded.is_on_biz_app, webhook_override = excluded.webhook_override, updated_at = excluded.updated_at
      WHERE sending_number.organization_id = excluded.organization_id
      RETURNING phone_number_id AS "phoneNumberId"`,
    values: [organizationId, wabaId, now, ...READ_NUMBERS.values(numbers)],
  });
  return rows.map((row) => row.phoneNumberId);
}

/** Marks a WABA's numbers other than `present` as not registered and without a status. Returns the upstream ids of the changed ones. */
export async function unregisterOtherNumbers(
  tx: Queryable,
  organizationId: string,
  wabaId: string,
  present: readonly string[],
  now: Date,
): Promise<string[]> {
  const rows = await tx.query<{ phoneNumberId: string }>({
    text: `
      UPDATE sending_number SET registered = false, status = NULL, webhook_override = NULL, updated_at = $4
      WHERE organization_id = $1 AND waba_id = $2 AND phone_number_id <> ALL ($3::text[])
        AND (registered OR status IS NOT NULL)
      RETURNING phone_number_id AS "phoneNumberId"`,
    values: [organizationId, wabaId, present, now],
  });
  return rows.map((row) => row.phoneNumberId);
}

/** The operator's settings of a number; absent ones stay. */
export interface NumberPatch {
  /** Its pace; `null` follows the upstream's. */
  messagesPerSecond?: number | null | undefined;
  /** True if its queue waits. */
  paused?: boolean | undefined;
}

/** Changes the operator's settings of a number. */
export async function updateNumber(
  tx: Queryable,
  phoneNumberId: string,
  change: NumberPatch,
  now: Date,
): Promise<void> {
  await tx.query({
    text: `
      UPDATE sending_number
      SET messages_per_second = CASE WHEN $2 THEN $3 ELSE messages_per_second END, paused = coalesce($4, paused),
        updated_at = $5
      WHERE phone_number_id = $1`,
    values: [phoneNumberId, change.messagesPerSecond !== undefined, change.messagesPerSecond, change.paused, now],
  });
}

/** Returns the existing ones of these WABAs by id, of any organization. */
export async function findWabasById(db: Queryable, wabaIds: readonly string[]): Promise<Map<string, Waba>> {
  const rows = await db.query<Waba>({
    name: 'waba_find',
    text: `
      SELECT organization_id AS "organizationId", waba_id AS "wabaId", app_id AS "appId",
        EXISTS (
          SELECT FROM sending_number AS n
          WHERE n.organization_id = w.organization_id AND n.waba_id = w.waba_id AND n.registered
        ) AS "hasRegisteredNumber"
      FROM waba AS w WHERE waba_id = ANY ($1::text[])`,
    values: [wabaIds],
  });
  return new Map(rows.map((row) => [row.wabaId, row]));
}

/** Returns a WABA of any organization. */
export async function findWabaById(db: Queryable, wabaId: string): Promise<Waba | undefined> {
  return (await findWabasById(db, [wabaId])).get(wabaId);
}

/** Stores the app that a WABA's token belongs to. */
export async function updateWabaApp(tx: Queryable, wabaId: string, appId: string | null): Promise<void> {
  await tx.query({ text: 'UPDATE waba SET app_id = $2 WHERE waba_id = $1 AND NOT test', values: [wabaId, appId] });
}

/** Returns the sealed tokens of the existing ones of these WABAs by id, of any organization. */
export async function findSealedTokens(db: Queryable, wabaIds: readonly string[]): Promise<Map<string, StoredToken>> {
  const rows = await db.query<StoredToken & { wabaId: string }>({
    name: 'waba_find_token',
    text: `
      SELECT waba_id AS "wabaId", organization_id AS "organizationId", token_sealed AS "tokenSealed", token_version AS version,
        synced_at AS "readAt", platform, app_id AS "appId",
        CASE WHEN a.secret_proof THEN a.secrets_sealed[1] END AS "provenSecretSealed"
      FROM waba LEFT JOIN app AS a USING (app_id) WHERE waba_id = ANY ($1::text[])`,
    values: [wabaIds],
  });
  return new Map(rows.map(({ wabaId, ...sealed }) => [wabaId, sealed]));
}

/**
 * Holds if a reading that began at `begunAt`, by PostgreSQL's clock, is no older than the stored one. A stored time in the future is from
 * before that clock was set back.
 */
const isNewest = (begunAt: string) =>
  `coalesce(waba.synced_at <= ${begunAt} OR waba.synced_at > clock_timestamp(), true)`;

/**
 * Stores a new WABA with its token, or replaces the token of a connected one and ends its parking; records the reading made with it.
 * An `appId` that is undefined keeps the app. Returns flags for a new WABA and for the newest reading; undefined if another organization
 * has the WABA.
 */
export async function upsertWaba(
  tx: Queryable,
  organizationId: string,
  wabaId: string,
  tokenSealed: Buffer,
  platform: string,
  begunAt: Date,
  appId?: string | null,
): Promise<{ isNew: boolean; isNewest: boolean } | undefined> {
  const rows = await tx.query<{ isNew: boolean; isNewest: boolean }>({
    text: `
      INSERT INTO waba (organization_id, waba_id, token_sealed, platform, test, connected_at, synced_at, app_id)
      VALUES ($1, $2, $3, $4, $4 = '${TEST_PLATFORM}', $5, $5, $7)
      ON CONFLICT (waba_id) DO UPDATE
      SET token_sealed = excluded.token_sealed, token_version = excluded.token_version, platform = excluded.platform,
        synced_at = CASE WHEN ${isNewest('excluded.synced_at')} THEN excluded.synced_at ELSE waba.synced_at END,
        app_id = CASE WHEN $6 THEN excluded.app_id ELSE waba.app_id END, ${UNPARKED}, rejected_too = false
      WHERE waba.organization_id = excluded.organization_id
      RETURNING xmax = 0 AS "isNew", synced_at = $5 AS "isNewest"`,
    values: [organizationId, wabaId, tokenSealed, platform, begunAt, appId !== undefined, appId ?? null],
  });
  return rows[0];
}

/**
 * Records a reading made with the token of this version. Returns false if that token was replaced, or a reading that began later is stored.
 */
export async function touchSynced(
  tx: Queryable,
  wabaId: string,
  tokenVersion: number,
  begunAt: Date,
): Promise<boolean> {
  const rows = await tx.query({
    text: `
      UPDATE waba SET synced_at = $3
      WHERE waba_id = $1 AND token_version = $2 AND ${isNewest('$3')}
      RETURNING waba_id`,
    values: [wabaId, tokenVersion, begunAt],
  });
  return rows.length > 0;
}

function toNumber({ ownPace, parkedCode, parkedReason, ...row }: NumberRow): SendingNumber {
  return {
    ...row,
    messagesPerSecond: ownPace ?? upstreamPaceOf(row),
    parked: parkedCode === null ? null : { code: parkedCode, reason: parkedReason ?? '' },
  };
}
