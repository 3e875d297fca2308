const VERSION_MIN = 15;

/** What to do about a PgBouncer, or another of its kind. */
export const POOLER_ADVICE =
  'DATABASE_URL must lead past poolers such as PgBouncer to the server itself; every node pools its connections.';

/** What a server says of itself, of the database, and of what their user may do. */
export interface PostgresSettings {
  /** `server_version_num`, such as 150004. */
  version: number;
  encoding: string;
  /** Where tables are made; `null` when no schema of the search path exists. */
  schema: string | null;
  mayCreate: boolean;
  readOnly: boolean;
  /** A commit is on disk when it is answered. */
  durable: boolean;
  /** What the session was to be set to has arrived. */
  keepsSettings: boolean;
}

/** Throws what has to be changed for the gateway to work on this database. */
export function checkPostgres({
  version,
  encoding,
  schema,
  mayCreate,
  readOnly,
  keepsSettings,
}: PostgresSettings): void {
  const major = Math.floor(version / 10_000);
  if (major < VERSION_MIN) throw new Error(`PostgreSQL ${VERSION_MIN} or newer is needed; this is ${major}.`);
  if (!keepsSettings) throw new Error(`Settings of a session get lost on the way to PostgreSQL: ${POOLER_ADVICE}`);
  if (encoding !== 'UTF8') {
    throw new Error(
      `The database's encoding is ${encoding} and must be UTF8: create it with ENCODING 'UTF8' TEMPLATE template0.`,
    );
  }
  if (readOnly) {
    throw new Error(
      'The database takes no writes: default_transaction_read_only is on for the server, it, or its user.',
    );
  }
  if (schema === null) throw new Error('No schema of the search_path exists: create one, or RESET search_path.');
  if (!mayCreate) {
    throw new Error(
      `The user of DATABASE_URL may not create tables in schema ${schema}: make it the owner of the database (ALTER DATABASE … OWNER TO …).`,
    );
  }
}
