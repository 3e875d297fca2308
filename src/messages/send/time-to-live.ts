/** The platform's own default: it tries to deliver a message for 30 days, and a code for ten minutes. */
const ORDINARY_SECONDS = 30 * 86_400;
const CODE_SECONDS = 600;
/** States the ordinary default, also for a code. */
const ORDINARY = -1;

/**
 * Returns the milliseconds after acceptance in which a message of this category may be sent. `stated` is the number of seconds that
 * its template or body asks for. Anything but a whole number of seconds leaves the default: the platform judges the value.
 */
export function timeToLiveMs(category: unknown, stated: unknown): number {
  const seconds = typeof stated === 'string' || typeof stated === 'number' ? Number(stated) : Number.NaN;
  if (seconds > 0 && Number.isInteger(seconds)) return Math.min(seconds, ORDINARY_SECONDS) * 1_000;
  const isCode = seconds !== ORDINARY && typeof category === 'string' && category.toUpperCase() === 'AUTHENTICATION';
  return (isCode ? CODE_SECONDS : ORDINARY_SECONDS) * 1_000;
}
