// PostgreSQL variables of the machine's environment would fill in the parts that connection strings leave out.
for (const name of Object.keys(process.env)) if (name.startsWith('PG')) delete process.env[name];

/** The migrated database that test databases are cloned from. */
export const templateName = 'fairway_template';

/** Returns the connection string of another database on the same server, with the same role. */
export function withDatabase(connectionString: string, name: string): string {
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.href;
}
