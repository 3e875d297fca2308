/** Roles of a process: serve HTTP, send queued messages to the platform, deliver webhooks to customers. */
export const ROLES = ['api', 'dispatch', 'deliver'] as const;
export type Role = (typeof ROLES)[number];
