/** What a process does: serve HTTP, send queued messages to the upstream, deliver webhooks to customers. */
export const ROLES = ['api', 'dispatch', 'deliver'] as const;
export type Role = (typeof ROLES)[number];
