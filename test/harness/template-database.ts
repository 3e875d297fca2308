// What the machine's environment says of PostgreSQL is meant for others: it would fill in what connection strings leave out.
for (const name of Object.keys(process.env)) if (name.startsWith('PG')) delete process.env[name];

/** The migrated database that test databases are cloned from. */
export const templateName = 'fairway_template';

/** The same server and role, another database. */
export function withDatabase(connectionString: string, name: string): string {
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.href;
}
