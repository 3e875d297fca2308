const VERSION_MIN = 15;

/** Advice for a connection to a pooler such as PgBouncer where the server itself is needed. */
export const POOLER_ADVICE =
  'Behind a pooler such as PgBouncer, set DATABASE_DIRECT_URL to the address of the server itself.';

/** Properties of the server, the database and the rights of its user. */
export interface PostgresSettings {
  /** `server_version_num`, such as 150004. */
  version: number;
  encoding: string;
  /** Schema in which tables are created; `null` if no schema of the search path exists. */
  schema: string | null;
  mayCreate: boolean;
  readOnly: boolean;
  /** True if a commit is on disk before it is answered. */
  durable: boolean;
  synchronousCommit: string;
  /** True if commits wait for a standby, as far as `synchronousCommit` says. */
  hasSynchronousStandby: boolean;
  /** True if the session has the settings it was opened with. */
  keepsSettings: boolean;
}

/** Throws an error that says what must change before the gateway can use this database. */
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
  if (!keepsSettings) throw new Error(`Session settings get lost on the way to PostgreSQL: ${POOLER_ADVICE}`);
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

/**
 * Returns a warning if commits do not wait until the synchronous standby has them on disk, although there is one. An accepted message
 * would then not survive the loss of the primary.
 */
export function weaknessBesideStandby({
  synchronousCommit,
  hasSynchronousStandby,
}: Pick<PostgresSettings, 'synchronousCommit' | 'hasSynchronousStandby'>): string | undefined {
  if (!hasSynchronousStandby || !['local', 'remote_write'].includes(synchronousCommit)) return undefined;
  return (
    `synchronous_commit is ${synchronousCommit}: commits do not wait until the synchronous standby has them on disk, and a failover may ` +
    'lose accepted messages. Set it to on.'
  );
}
