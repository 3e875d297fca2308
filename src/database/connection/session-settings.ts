export const STATEMENT_TIMEOUT_MS = 10_000;

/** Settings of every session of the gateway. They override those of the server, the database and the role. */
export const SESSION_SETTINGS = [
  'plan_cache_mode=force_generic_plan',
  `statement_timeout=${STATEMENT_TIMEOUT_MS}`,
  'idle_in_transaction_session_timeout=10000',
  'idle_session_timeout=0',
  'lock_timeout=5000',
  // Data that must be consistent is read by one statement, and two statements that meet on a row must not fail.
  String.raw`default_transaction_isolation=read\ committed`,
  'jit=off',
  // The driver parses only this style, and a server, a database or a role may have another default.
  'datestyle=ISO',
  // Weights, paces and database times are read to their last digit.
  'extra_float_digits=1',
  // Batches join a few hundred keys to large tables. Index look-ups in key order are the right plan, and they make two batches
  // lock their rows in the same order.
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'enable_seqscan=off',
];

/**
 * Expression that removes the session's limit for whole transactions. It is not among the settings: servers before 17 do not know the
 * parameter and would refuse the session.
 */
export const LIFT_TRANSACTION_TIMEOUT = `
  CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL THEN set_config('transaction_timeout', '0', false) END`;

/** The settings (`name=value`) in the form of the startup parameter `options`. */
export function asOptions(settings: readonly string[]): string {
  return settings.map((setting) => `-c ${setting}`).join(' ');
}
