export const STATEMENT_TIMEOUT_MS = 10_000;

/** What every session of the gateway is set to, whatever the server, the database or the role is set to. */
export const SESSION_SETTINGS = [
  'plan_cache_mode=force_generic_plan',
  `statement_timeout=${STATEMENT_TIMEOUT_MS}`,
  'idle_in_transaction_session_timeout=10000',
  'idle_session_timeout=0',
  'lock_timeout=5000',
  // What is read together is read by one statement, and two that meet on a row must not fail.
  String.raw`default_transaction_isolation=read\ committed`,
  'jit=off',
  // The driver reads no other, and a server, a database or a role may have another.
  'datestyle=ISO',
  // Weights, paces and the time of the database are read to their last digit.
  'extra_float_digits=1',
  // Batches join a few hundred keys to large tables: index look-ups in key order are both the right plan and what
  // makes two batches take their row locks in the same order.
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'enable_seqscan=off',
];

/**
 * An expression that takes from its session the limit of time for whole transactions. Servers before 17 know none, and with it among the
 * settings would begin no session.
 */
export const LIFT_TRANSACTION_TIMEOUT = `
  CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL THEN set_config('transaction_timeout', '0', false) END`;

/**
 * How to open sessions with `settings` (`name=value`) at `connectionString`. They follow the `options` the URL itself may have, because
 * the driver would take those instead.
 */
export function withSettings(
  connectionString: string,
  settings: readonly string[],
): { connectionString: string; options: string } {
  const options = settings.map((setting) => `-c ${setting}`).join(' ');
  const url = new URL(connectionString);
  const own = url.searchParams.get('options');
  if (own === null) return { connectionString, options };
  url.searchParams.delete('options');
  return { connectionString: url.href, options: `${own} ${options}` };
}
