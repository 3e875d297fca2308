const VERSION_MIN = 15;

/** What a server says of itself: `server_version_num`, such as 150004, and `server_encoding` of the database. */
export interface PostgresSettings {
  version: number;
  encoding: string;
}

/** Throws when this PostgreSQL is too old, or this database cannot hold every text as what it is. */
export function checkPostgres({ version, encoding }: PostgresSettings): void {
  const major = Math.floor(version / 10_000);
  if (major < VERSION_MIN) throw new Error(`PostgreSQL ${VERSION_MIN} or newer is needed; this is ${major}.`);
  if (encoding === 'UTF8') return;
  throw new Error(
    `The database's encoding is ${encoding} and must be UTF8: create it with ENCODING 'UTF8' TEMPLATE template0.`,
  );
}
