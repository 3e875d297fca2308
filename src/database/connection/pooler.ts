import type pg from 'pg';
import type { Logger } from 'pino';
import { sqlStateOf } from '../failures.ts';
import { connectPatiently } from './connect-patiently.ts';
import { SESSION_SETTINGS } from './session-settings.ts';

export interface PoolerOptions {
  /** Leads to the pooler. */
  connectionString: string;
  /** Leads to the server behind it. */
  directUrl: string;
  /** True if statements are prepared by name, which the pooler then has to keep apart for its clients. */
  preparesStatements: boolean;
  log: Logger;
  stop?: AbortSignal;
  /** Longest wait for the pooler and the server, in milliseconds; 30 s when absent. */
  patienceMs?: number;
}

const applicationName = 'fairway';
/** Key of the advisory lock for the settings of the role: PostgreSQL refuses two changes at the same time. */
const SETTINGS_LOCK = 7_061_727_470;
/** A pooler has no session of one client: two clients soon meet on one, and one client soon has two. */
const ROUNDS_MAX = 20;
const VERSION_WITH_TRANSACTION_TIMEOUT = 17;

/** SQLSTATEs of a prepared statement that another client of the pooler has, or that this client has in another session. */
const MIXED_STATEMENTS = new Set(['42P05', '26000']);

/**
 * Makes the sessions behind a pooler ready: stores the settings of the gateway's sessions with its role for its database, and checks that
 * the pooler's sessions have them. A pooler passes on no settings of a session.
 * @throws an error that names the setting that must change: of the pooler, the role or the gateway
 */
export async function preparePooler(options: PoolerOptions): Promise<void> {
  const connection = { ...options, applicationName };
  const direct = await connectPatiently({ ...connection, connectionString: options.directUrl });
  try {
    await storeSettings(direct);
    const pooled = await connectPatiently({ ...connection, settings: [] });
    try {
      await checkPlace(direct, pooled);
      await checkTransactions(pooled);
      await checkSettings(pooled);
      if (options.preparesStatements) await checkStatements(pooled, connection);
    } finally {
      await pooled.end();
    }
  } finally {
    await direct.end();
  }
}

/** Stores the settings that the role does not have yet. Every role may change its own. */
async function storeSettings(direct: pg.Client): Promise<void> {
  await direct.query('BEGIN');
  await direct.query(`SELECT pg_advisory_xact_lock(${SETTINGS_LOCK})`);
  const { rows } = await direct.query<{ database: string; stored: string[]; version: number }>(`
    SELECT current_database() AS database, current_setting('server_version_num')::int / 10000 AS version,
      coalesce((
        SELECT setconfig FROM pg_db_role_setting
        WHERE setrole = current_user::regrole AND setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
      ), '{}') AS stored`);
  const [{ database, stored, version } = { database: '', stored: [], version: 0 }] = rows;
  const has = new Set(stored.map((setting) => setting.toLowerCase()));
  for (const setting of listSettings(version)) {
    if (has.has(setting.text.toLowerCase())) continue;
    const value = direct.escapeLiteral(setting.value);
    await direct.query(
      `ALTER ROLE CURRENT_USER IN DATABASE ${direct.escapeIdentifier(database)} SET ${setting.name} = ${value}`,
    );
  }
  await direct.query('COMMIT');
}

function listSettings(version: number): { name: string; value: string; text: string }[] {
  const settings =
    version >= VERSION_WITH_TRANSACTION_TIMEOUT ? [...SESSION_SETTINGS, 'transaction_timeout=0'] : SESSION_SETTINGS;
  return settings.map((setting) => {
    const [name = '', value = ''] = setting.replaceAll('\\', '').split('=');
    return { name, value, text: `${name}=${value}` };
  });
}

/** Throws unless both URLs lead to the same tables as the same role. */
async function checkPlace(direct: pg.Client, pooled: pg.Client): Promise<void> {
  const read = async (client: pg.Client) => {
    const { rows } = await client.query<{ place: string[] }>(`
      SELECT ARRAY[
        (SELECT system_identifier FROM pg_control_system())::text, current_database(), current_user, current_schema()
      ]::text[] AS place`);
    return rows[0]?.place ?? [];
  };
  const [there, here] = [await read(direct), await read(pooled)];
  const names = ['server', 'database', 'role', 'schema (search_path)'];
  const differing = names.filter((_, place) => there[place] !== here[place]);
  if (differing.length === 0) return;
  throw new Error(
    `DATABASE_URL and DATABASE_DIRECT_URL differ in their ${differing.join(', ')}: both must lead to the same tables. A search_path behind ` +
      'a pooler is set with ALTER ROLE … SET search_path.',
  );
}

async function checkTransactions(pooled: pg.Client): Promise<void> {
  try {
    await pooled.query('BEGIN');
    await pooled.query('COMMIT');
  } catch (error) {
    throw new Error(
      `The pooler allows no transactions (${(error as Error).message}): set its pool_mode to transaction, or to session.`,
      { cause: error },
    );
  }
}

async function checkSettings(pooled: pg.Client): Promise<void> {
  const expected = listSettings(0);
  const { rows } = await pooled.query<{ name: string; setting: string }>({
    text: 'SELECT lower(name) AS name, setting FROM pg_settings WHERE lower(name) = ANY ($1)',
    values: [expected.map(({ name }) => name)],
  });
  const present = new Map(rows.map(({ name, setting }) => [name, setting]));
  const lacking = expected.filter(({ name, value }) => !present.get(name)?.startsWith(value)).map(({ name }) => name);
  if (lacking.length === 0) return;
  throw new Error(
    `The pooler's sessions lack the gateway's settings (${lacking.join(', ')}), which are stored with its role now. Sessions that began ` +
      'earlier do not have them: end those (RECONNECT in the console of PgBouncer), or restart the pooler.',
  );
}

/** Throws if the pooler mixes up prepared statements of the same name. */
async function checkStatements(
  pooled: pg.Client,
  connection: Omit<PoolerOptions, 'preparesStatements'> & { applicationName: string },
): Promise<void> {
  const other = await connectPatiently({ ...connection, settings: [] });
  const run = async (client: pg.Client, round: number, result: string) => {
    const { rows } = await client.query<{ pid: number }>({
      name: `fairway_check_${round}`,
      text: `SELECT pg_backend_pid() AS pid, '${result}' AS result`,
    });
    return rows[0]?.pid;
  };
  try {
    for (let round = 1; round <= ROUNDS_MAX; round += 1) {
      const first = await run(pooled, round, 'one');
      const second = await run(other, round, 'other');
      const third = await run(pooled, round, 'one');
      if (first === second || first !== third) return;
    }
  } catch (error) {
    if (!MIXED_STATEMENTS.has(sqlStateOf(error) ?? '')) throw error;
    throw new Error(
      'The pooler does not keep the prepared statements of its clients apart: set max_prepared_statements in PgBouncer 1.21 or newer (500), ' +
        'or DATABASE_PREPARED_STATEMENTS=off for the gateway.',
      { cause: error },
    );
  } finally {
    await other.end();
  }
}
