import type { Queryable } from '../../database/database.ts';
import type { Caller } from '../../http/index.ts';
import { limitsOf, type StoredLimits } from './key-limits.ts';

/** An API key without its secret. */
export interface ApiKey extends StoredLimits {
  id: string;
  name: string | null;
  /** The first characters of the key, so that a person recognises it. */
  hint: string;
  createdAt: Date;
  disabledAt: Date | null;
  /** Time until which the key before the last rotation works. */
  previousUntil: Date | null;
  /** Correct to the hour. */
  lastUsedAt: Date | null;
}

/** The digests of a key and of the one before its last rotation, in hex. */
export interface KeyHashes {
  keyHash: string;
  previousHash: string | null;
}

/** A change of a key; absent members stay. */
export type KeyChange = { [Member in keyof StoredLimits | 'name']?: ApiKey[Member] | undefined };

const FIELDS = `
  id, name, hint, created_at AS "createdAt", disabled_at AS "disabledAt", scopes, phone_number_ids AS "phoneNumberIds",
  source_ranges AS "sourceRanges", expires_at AS "expiresAt", messages_per_minute AS "messagesPerMinute", previous_until AS "previousUntil", last_used_at AS "lastUsedAt"`;
const HASHES = `encode(key_hash, 'hex') AS "keyHash", encode(previous_key_hash, 'hex') AS "previousHash"`;

/** Stores a key by its SHA-256; false if the organization does not exist. */
export async function insertApiKey(
  tx: Queryable,
  organizationId: string,
  apiKey: ApiKey & { keyHash: Buffer },
): Promise<boolean> {
  const rows = await tx.query({
    text: `
      INSERT INTO api_key (organization_id, id, name, key_hash, hint, created_at, scopes, phone_number_ids, source_ranges, expires_at,
                           messages_per_minute)
      SELECT id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM organization WHERE id = $1
      RETURNING id`,
    values: [
      organizationId,
      apiKey.id,
      apiKey.name,
      apiKey.keyHash,
      apiKey.hint,
      apiKey.createdAt,
      apiKey.scopes,
      apiKey.phoneNumberIds,
      apiKey.sourceRanges,
      apiKey.expiresAt,
      apiKey.messagesPerMinute,
    ],
  });
  return rows.length > 0;
}

/** An organization's keys with an id below `before`, newest first, including disabled ones. */
export async function listApiKeys(
  db: Queryable,
  organizationId: string,
  before: string | undefined,
  limit: number,
): Promise<ApiKey[]> {
  return db.query({
    text: `
      SELECT ${FIELDS} FROM api_key WHERE organization_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    values: [organizationId, before, limit],
  });
}

/** Returns the organization of a key that is not disabled, and locks the key; undefined for another id. */
export async function lockApiKey(
  tx: Queryable,
  apiKeyId: string,
): Promise<{ organizationId: string; test: boolean } | undefined> {
  const rows = await tx.query<{ organizationId: string; test: boolean }>({
    text: `
      SELECT organization_id AS "organizationId", test FROM api_key k JOIN organization o ON o.id = k.organization_id
      WHERE k.id = $1 AND disabled_at IS NULL FOR NO KEY UPDATE OF k`,
    values: [apiKeyId],
  });
  return rows[0];
}

/** Returns those of the numbers, by the platform's id, that the organization has. */
export async function listOwnNumbers(db: Queryable, organizationId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    text: `
      SELECT phone_number_id AS id FROM sending_number WHERE organization_id = $1 AND phone_number_id = ANY ($2::text[])`,
    values: [organizationId, ids],
  });
  return rows.map(({ id }) => id);
}

/** Applies a change to a locked key. */
export async function updateApiKey(
  tx: Queryable,
  organizationId: string,
  apiKeyId: string,
  change: KeyChange,
): Promise<(ApiKey & KeyHashes) | undefined> {
  const { name, scopes, phoneNumberIds, sourceRanges, expiresAt, messagesPerMinute } = change;
  const rows = await tx.query<ApiKey & KeyHashes>({
    text: `
      UPDATE api_key
      SET name = CASE WHEN $3 THEN $4 ELSE name END, scopes = CASE WHEN $5 THEN $6 ELSE scopes END,
        phone_number_ids = CASE WHEN $7 THEN $8 ELSE phone_number_ids END,
        source_ranges = CASE WHEN $9 THEN $10 ELSE source_ranges END,
        expires_at = CASE WHEN $11 THEN $12 ELSE expires_at END,
        messages_per_minute = CASE WHEN $13 THEN $14 ELSE messages_per_minute END
      WHERE organization_id = $1 AND id = $2
      RETURNING ${FIELDS}, ${HASHES}`,
    values: [
      organizationId,
      apiKeyId,
      ...[name, scopes, phoneNumberIds, sourceRanges, expiresAt, messagesPerMinute].flatMap((value) => [
        value !== undefined,
        value ?? null,
      ]),
    ],
  });
  return rows[0];
}

/** Gives a locked key a new secret; the present one works until `previousUntil`. `droppedHash` is of the one that stops at once. */
export async function replaceSecret(
  tx: Queryable,
  organizationId: string,
  apiKeyId: string,
  secret: { hash: Buffer; hint: string; previousUntil: Date },
): Promise<(ApiKey & KeyHashes & { droppedHash: string | null }) | undefined> {
  const rows = await tx.query<ApiKey & KeyHashes & { droppedHash: string | null }>({
    text: `
      WITH before AS (SELECT previous_key_hash AS dropped FROM api_key WHERE organization_id = $1 AND id = $2)
      UPDATE api_key
      SET key_hash = $3, hint = $4, previous_key_hash = key_hash, previous_until = $5
      FROM before
      WHERE organization_id = $1 AND id = $2
      RETURNING ${FIELDS}, ${HASHES}, encode(dropped, 'hex') AS "droppedHash"`,
    values: [organizationId, apiKeyId, secret.hash, secret.hint, secret.previousUntil],
  });
  return rows[0];
}

/** Disables a key and keeps the time of the first disabling; undefined for an unknown id. */
export async function disableApiKeyById(tx: Queryable, apiKeyId: string, now: Date): Promise<KeyHashes | undefined> {
  const rows = await tx.query<KeyHashes>({
    text: `UPDATE api_key SET disabled_at = coalesce(disabled_at, $2) WHERE id = $1 RETURNING ${HASHES}`,
    values: [apiKeyId, now],
  });
  return rows[0];
}

/** Disables all enabled keys of an organization. */
export async function disableApiKeys(tx: Queryable, organizationId: string, now: Date): Promise<KeyHashes[]> {
  return tx.query({
    text: `
      UPDATE api_key SET disabled_at = $2 WHERE organization_id = $1 AND disabled_at IS NULL
      RETURNING ${HASHES}`,
    values: [organizationId, now],
  });
}

/** Returns the hex digests under which an organization's enabled keys are found. */
export async function listKeyHashes(tx: Queryable, organizationId: string): Promise<string[]> {
  const rows = await tx.query<KeyHashes>({
    text: `SELECT ${HASHES} FROM api_key WHERE organization_id = $1 AND disabled_at IS NULL`,
    values: [organizationId],
  });
  return rows.flatMap(({ keyHash, previousHash }) => (previousHash === null ? [keyHash] : [keyHash, previousHash]));
}

/** An enabled key, as requests are judged by it. */
export interface KnownKey {
  caller: Caller;
  /** True if the key is also accepted in the other places where the Cloud API takes tokens. */
  cloudApiCredentials: boolean;
  /** True for a key of a test organization. */
  test: boolean;
}

/** The enabled keys among these hex SHA-256, by hash. */
export async function findKeysByHash(db: Queryable, keyHashes: readonly string[]): Promise<Map<string, KnownKey>> {
  const rows = await db.query<Omit<Caller, 'limits'> & Omit<KnownKey, 'caller'> & StoredLimits & { hash: string }>({
    name: 'api_key_find_callers',
    text: `
      SELECT encode(key_hash, 'hex') AS hash, organization_id AS "organizationId", k.id AS "apiKeyId", key_number AS "keyNumber",
        cloud_api_credentials AS "cloudApiCredentials", test, scopes, phone_number_ids AS "phoneNumberIds", source_ranges AS "sourceRanges",
        expires_at AS "expiresAt", messages_per_minute AS "messagesPerMinute"
      FROM api_key k JOIN organization o ON o.id = k.organization_id
      WHERE key_hash = ANY ($1::bytea[]) AND disabled_at IS NULL
      UNION ALL
      SELECT encode(previous_key_hash, 'hex'), organization_id, k.id, key_number, cloud_api_credentials, test, scopes, phone_number_ids,
        source_ranges, least(expires_at, previous_until), messages_per_minute
      FROM api_key k JOIN organization o ON o.id = k.organization_id
      WHERE previous_key_hash = ANY ($1::bytea[]) AND disabled_at IS NULL`,
    values: [keyHashes.map((keyHash) => Buffer.from(keyHash, 'hex'))],
  });
  return new Map(
    rows.map(({ hash, organizationId, apiKeyId, keyNumber, cloudApiCredentials, test, ...limits }) => [
      hash,
      { caller: { organizationId, apiKeyId, keyNumber, limits: limitsOf(limits) }, cloudApiCredentials, test },
    ]),
  );
}

/** Stores that the keys with these numbers were used at `now`, unless less than an hour ago is stored. */
export async function noteKeyUses(db: Queryable, keyNumbers: readonly number[], now: Date): Promise<void> {
  await db.query({
    name: 'api_key_note_uses',
    text: `
      UPDATE api_key SET last_used_at = $2
      WHERE key_number = ANY ($1::int[]) AND (last_used_at IS NULL OR last_used_at < $2::timestamptz - interval '1 hour')`,
    values: [keyNumbers, now],
  });
}
