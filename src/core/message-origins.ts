/**
 * Places where a message came about: through this gateway, in a conversation that a business agent held, in the business app, or before
 * the number was connected. The table stores the position; null means `api`.
 */
export const MESSAGE_ORIGINS = ['api', 'agent', 'app', 'history'] as const;
export type MessageOrigin = (typeof MESSAGE_ORIGINS)[number];

/** Returns the number that the table stores for an origin. */
export function originNumber(origin: MessageOrigin): number {
  return MESSAGE_ORIGINS.indexOf(origin);
}

/** Returns the origin of a stored number. An origin of a later version counts as `api`. */
export function originOf(stored: number | null): MessageOrigin {
  return MESSAGE_ORIGINS[stored ?? 0] ?? 'api';
}
