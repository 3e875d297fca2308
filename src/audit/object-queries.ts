import type { Queryable } from '../database/database.ts';
import type { State } from './entry.ts';

/** An object's place in the database. */
interface ObjectSource {
  /** The tables, the first one with the alias `o`. */
  from: string;
  /** The condition that finds the object by `$1`. */
  by: string;
  /** Form of its ids; any other text names no object. */
  ids: RegExp;
  /** Expression for its organization. */
  organization: string;
  /** Expressions by the name that each has in the log. Nothing else of the object is stored: no secret, no name or text of a person. */
  members: Readonly<Record<string, string>>;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PLATFORM_ID = /^\d{1,32}$/;

const own = (...names: string[]) => Object.fromEntries(names.map((name) => [name, `o.${name}`]));

/** The state of each kind of object, as the log may hold it. */
const OBJECTS = {
  organization: {
    from: 'organization o',
    by: 'o.id = $1::uuid',
    ids: UUID,
    organization: 'o.id',
    members: own(
      'name',
      'test',
      'weight',
      'unknown_outcome_policy',
      'message_ttl_seconds',
      'direct_send',
      'phone_numbers',
      'to_without_plus',
      'opt_out_words',
      'contacts_as_text',
      'cloud_api_credentials',
      'marketing_messages',
      'retention',
      'keep_bodies',
    ),
  },
  plan: {
    from: 'organization g LEFT JOIN plan o ON o.organization_id = g.id',
    by: 'g.id = $1::uuid',
    ids: UUID,
    organization: 'g.id',
    members: own(
      'name',
      'active',
      'monthly_message_limit',
      'message_types',
      'template_categories',
      'monthly_budget_micros',
      'price_micros',
      'requests_per_second',
      'key_requests_per_second',
      'queue_max',
      'free_service_messages',
    ),
  },
  rates: {
    from: `organization o CROSS JOIN LATERAL (
      SELECT count(*) AS count, md5(coalesce(string_agg(concat_ws(' ', valid_from, category, country, price_micros), ','
        ORDER BY valid_from, category, country), '')) AS digest
      FROM rate WHERE organization_id = o.id
    ) r`,
    by: 'o.id = $1::uuid',
    ids: UUID,
    organization: 'o.id',
    members: { prices: 'r.count', digest: 'r.digest' },
  },
  api_key: {
    from: 'api_key o',
    by: 'o.id = $1::uuid',
    ids: UUID,
    organization: 'o.organization_id',
    members: own(
      'name',
      'scopes',
      'phone_number_ids',
      'source_ranges',
      'messages_per_minute',
      'expires_at',
      'disabled_at',
      'previous_until',
    ),
  },
  operator: {
    from: 'operator o',
    by: 'o.id = $1::uuid',
    ids: UUID,
    organization: 'NULL::uuid',
    members: own('name', 'role', 'expires_at', 'revoked_at', 'previous_until'),
  },
  app: {
    from: 'app o',
    by: 'o.app_id = $1',
    ids: PLATFORM_ID,
    organization: 'NULL::uuid',
    members: {
      ...own('name', 'secret_proof', 'signup_configuration_id', 'secrets_changed_at'),
      secrets: 'cardinality(o.secrets_sealed)',
    },
  },
  account: {
    from: 'waba o',
    by: 'o.waba_id = $1',
    ids: PLATFORM_ID,
    organization: 'o.organization_id',
    members: own('connected_at', 'token_version', 'app_id', 'parked_code', 'marketing_messages'),
  },
  // The recipient of the test message is not named.
  onboarding: {
    from: 'onboarding o',
    by: 'o.id = $1::uuid',
    ids: UUID,
    organization: 'o.organization_id',
    members: {
      ...own('state', 'app_id', 'waba_id', 'phone_number_id', 'setup_link_id', 'attempt'),
      has_pin: 'o.pin_sealed IS NOT NULL',
    },
  },
  setup_link: {
    from: 'setup_link o',
    by: 'o.id = $1::uuid',
    ids: UUID,
    organization: 'o.organization_id',
    members: own('app_id', 'expires_at', 'revoked_at', 'onboarding_id'),
  },
  number: {
    from: 'sending_number o',
    by: 'o.phone_number_id = $1',
    ids: PLATFORM_ID,
    organization: 'o.organization_id',
    members: own('waba_id', 'paused', 'messages_per_second', 'registered', 'parked_code'),
  },
  webhook: {
    from: 'webhook_endpoint o',
    by: 'o.id = $1::uuid',
    ids: UUID,
    organization: 'o.organization_id',
    members: {
      // Path, query and user of a URL may be secrets; the digest shows that they changed.
      host: `substring(o.url FROM '^[a-z]+://(?:[^/?#]*@)?([^/?#]*)')`,
      url_digest: `left(encode(sha256(convert_to(o.url, 'UTF8')), 'hex'), 16)`,
      ...own(
        'format',
        'signing',
        'event_types',
        'phone_number_ids',
        'waba_ids',
        'ordered',
        'rate_per_second',
        'message_ids',
        'phone_numbers',
        'old_secret_until',
        'disabled_at',
        'disabled_reason',
        'deleted_at',
      ),
    },
  },
  template: {
    from: 'template o',
    by: 'o.id = $1',
    ids: PLATFORM_ID,
    organization: 'o.organization_id',
    members: {
      ...own('waba_id', 'name', 'language', 'category', 'status'),
      components_digest: `left(encode(sha256(convert_to(o.components, 'UTF8')), 'hex'), 16)`,
    },
  },
  media: {
    from: 'media o',
    by: 'o.media_id = $1',
    ids: PLATFORM_ID,
    organization: 'o.organization_id',
    members: own('phone_number_id', 'mime_type', 'bytes'),
  },
  message: {
    from: 'message o',
    by: 'o.organization_id = $2 AND o.id = $1::uuid',
    ids: UUID,
    organization: 'o.organization_id',
    members: own('status', 'type', 'category'),
  },
  // The person is not named.
  opt_out: {
    from: 'opt_out o',
    by: 'o.organization_id = $2 AND o.id = $1::uuid',
    ids: UUID,
    organization: 'o.organization_id',
    members: own('phone_number_id', 'source', 'ended_at'),
  },
  // The person is not named: the receipt stands for the erasure.
  erasure: {
    from: 'erasure o',
    by: 'o.organization_id = $2 AND o.id = $1::uuid',
    ids: UUID,
    organization: 'o.organization_id',
    members: own('requested_at'),
  },
  platform_object: {
    from: 'owned_object o',
    by: 'o.organization_id = $2 AND o.object_id = $1',
    ids: /^[\w=+/.-]{1,200}$/,
    organization: 'o.organization_id',
    members: own('waba_id', 'phone_number_id'),
  },
} satisfies Record<string, ObjectSource>;

/** Kinds of objects whose state the log holds. */
export type ObjectKind = keyof typeof OBJECTS;

/** An object that exists. */
export interface FoundObject {
  type: ObjectKind;
  id: string;
  organizationId: string | null;
  state: State;
}

/** Kinds of objects that an id alone may name, the likeliest first. */
export const NODE_KINDS: readonly ObjectKind[] = ['template', 'media', 'number', 'account', 'platform_object'];

/**
 * Returns the listed members of an object; undefined for an id that names none, or only one of another organization than the given. An
 * id that names nothing is never stored, because a caller may have put a person's number in its place.
 */
export async function findObject(
  db: Queryable,
  kinds: readonly ObjectKind[],
  id: string,
  organizationId: string | undefined,
): Promise<FoundObject | undefined> {
  for (const type of kinds) {
    const { from, by, ids, organization, members }: ObjectSource = OBJECTS[type];
    if (!ids.test(id)) continue;
    const pairs = Object.entries(members).map(([name, expression]) => `'${name}', ${expression}`);
    const rows = await db.query<{ organizationId: string | null; state: State }>({
      name: `audit_find_${type}`,
      text: `
        SELECT ${organization} AS "organizationId", jsonb_build_object(${pairs.join(', ')}) AS state
        FROM ${from} WHERE ${by} AND ($2::uuid IS NULL OR ${organization} = $2) LIMIT 1`,
      values: [id, organizationId],
    });
    if (rows[0] !== undefined) return { type, id, ...rows[0] };
  }
  return undefined;
}

/** Returns the name of an API key. */
export async function findKeyName(db: Queryable, organizationId: string, apiKeyId: string): Promise<string | null> {
  const rows = await db.query<{ name: string | null }>({
    name: 'audit_find_key_name',
    text: 'SELECT name FROM api_key WHERE organization_id = $1 AND id = $2',
    values: [organizationId, apiKeyId],
  });
  return rows[0]?.name ?? null;
}
