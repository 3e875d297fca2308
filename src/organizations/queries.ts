import type { Queryable } from '../database/database.ts';

/**
 * Use of the platform's `/marketing_messages` for marketing templates: if the account may use it, always, or never
 * (api-rules#marketing-templates).
 */
export const MARKETING_MESSAGES = ['auto', 'on', 'off'] as const;
export type MarketingMessages = (typeof MARKETING_MESSAGES)[number];

/** A tenant and its settings. */
export interface Organization {
  id: string;
  name: string;
  /** True if its accounts are those of the built-in simulator; never changes. */
  test: boolean;
  /** Share of the gateway among organizations with waiting messages. */
  weight: number;
  /** Action after an outcome that stayed unknown: one resend, or a failure (api-rules#status). */
  unknownOutcomePolicy: 'resend' | 'fail';
  /** Time in seconds after acceptance at which an undispatched message expires. */
  messageTtlSeconds: number;
  /** True if bodies with `category` are accepted outside of the 24-hour window (api-rules#window). */
  directSend: boolean;
  /** Notation of people's numbers in the answers to sends: as the platform's, or with `+`. */
  phoneNumbers: 'upstream' | 'e164';
  /** True if the `to` of a send may lack its `+`. */
  toWithoutPlus: boolean;
  /** True if `contacts` of a send may be a text that holds the JSON array. */
  contactsAsText: boolean;
  /** True if keys are also accepted as `Authorization: OAuth` and as the parameter `access_token`. */
  cloudApiCredentials: boolean;
  /** A person's message that consists of one of these words opts the person out of marketing. */
  optOutWords: string[];
  /** Shorter times of keeping data than the process's. */
  retention: Retention;
  /** Time up to which the body of a sent message is kept: that of the message, or until its sending has ended. */
  keepBodies: 'until_expiry' | 'until_sent';
  /** True since the first opt-out of a person. */
  hasOptOuts: boolean;
  marketingMessages: MarketingMessages;
  createdAt: Date;
}

/** Days that an organization keeps data of a kind; the process's own time if absent. */
export interface Retention {
  messages_days?: number;
  events_days?: number;
  media_names_days?: number;
}

/** A change of an organization; absent fields stay. */
export type OrganizationChange = {
  [Field in keyof Omit<Organization, 'id' | 'test' | 'hasOptOuts' | 'createdAt'>]?: Organization[Field] | undefined;
};

const ORGANIZATION_FIELDS = `
  id, name, test, weight, unknown_outcome_policy AS "unknownOutcomePolicy", message_ttl_seconds AS "messageTtlSeconds",
  direct_send AS "directSend", phone_numbers AS "phoneNumbers", to_without_plus AS "toWithoutPlus",
  marketing_messages AS "marketingMessages", contacts_as_text AS "contactsAsText", cloud_api_credentials AS "cloudApiCredentials",
  opt_out_words AS "optOutWords", retention, keep_bodies AS "keepBodies", has_opt_outs AS "hasOptOuts", created_at AS "createdAt"`;

export async function insertOrganization(tx: Queryable, organization: Organization): Promise<void> {
  await tx.query({
    text: `
      INSERT INTO organization (id, name, weight, unknown_outcome_policy, message_ttl_seconds, direct_send, phone_numbers, to_without_plus,
                                opt_out_words, contacts_as_text, cloud_api_credentials, marketing_messages, retention, keep_bodies,
                                created_at, test)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    values: [
      organization.id,
      organization.name,
      organization.weight,
      organization.unknownOutcomePolicy,
      organization.messageTtlSeconds,
      organization.directSend,
      organization.phoneNumbers,
      organization.toWithoutPlus,
      organization.optOutWords,
      organization.contactsAsText,
      organization.cloudApiCredentials,
      organization.marketingMessages,
      organization.retention,
      organization.keepBodies,
      organization.createdAt,
      organization.test,
    ],
  });
}

/** Applies a change; undefined if the organization does not exist. */
export async function updateOrganization(
  tx: Queryable,
  organizationId: string,
  change: OrganizationChange,
): Promise<Organization | undefined> {
  const rows = await tx.query<Organization>({
    text: `
      UPDATE organization
      SET name = coalesce($2, name), weight = coalesce($3, weight),
        unknown_outcome_policy = coalesce($4, unknown_outcome_policy),
        message_ttl_seconds = coalesce($5, message_ttl_seconds), direct_send = coalesce($6, direct_send),
        phone_numbers = coalesce($7, phone_numbers), to_without_plus = coalesce($8, to_without_plus),
        opt_out_words = coalesce($9, opt_out_words), contacts_as_text = coalesce($10, contacts_as_text),
        cloud_api_credentials = coalesce($11, cloud_api_credentials),
        marketing_messages = coalesce($12, marketing_messages),
        marketing_changed_at = CASE WHEN $12 <> marketing_messages THEN clock_timestamp() ELSE marketing_changed_at END,
        retention = coalesce($13::jsonb, retention), keep_bodies = coalesce($14, keep_bodies)
      WHERE id = $1
      RETURNING ${ORGANIZATION_FIELDS}`,
    values: [
      organizationId,
      change.name,
      change.weight,
      change.unknownOutcomePolicy,
      change.messageTtlSeconds,
      change.directSend,
      change.phoneNumbers,
      change.toWithoutPlus,
      change.optOutWords,
      change.contactsAsText,
      change.cloudApiCredentials,
      change.marketingMessages,
      change.retention,
      change.keepBodies,
    ],
  });
  return rows[0];
}

/** The existing ones of these organizations, by id. */
export async function findOrganizations(
  db: Queryable,
  organizationIds: readonly string[],
): Promise<Map<string, Organization>> {
  const rows = await db.query<Organization>({
    name: 'organization_find',
    text: `SELECT ${ORGANIZATION_FIELDS} FROM organization WHERE id = ANY ($1::uuid[])`,
    values: [organizationIds],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Organizations with an id below `before`, newest first. */
export async function listOrganizations(
  db: Queryable,
  before: string | undefined,
  limit: number,
): Promise<Organization[]> {
  return db.query({
    text: `
      SELECT ${ORGANIZATION_FIELDS} FROM organization WHERE $1::uuid IS NULL OR id < $1
      ORDER BY id DESC LIMIT $2`,
    values: [before, limit],
  });
}

/** Locks the organization until `tx` ends; false if it does not exist. Inserts that reference it are not blocked. */
export async function lockOrganization(tx: Queryable, organizationId: string): Promise<boolean> {
  const rows = await tx.query({
    text: 'SELECT FROM organization WHERE id = $1 FOR NO KEY UPDATE',
    values: [organizationId],
  });
  return rows.length > 0;
}

/** Records that these organizations have opt-outs. Returns those that had none before. */
export async function noteOptOuts(tx: Queryable, organizationIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>({
    name: 'organization_note_opt_outs',
    text: 'UPDATE organization SET has_opt_outs = true WHERE id = ANY ($1::uuid[]) AND NOT has_opt_outs RETURNING id',
    values: [organizationIds],
  });
  return rows.map(({ id }) => id);
}
