/**
 * Scopes of API keys. Each operation for organizations needs exactly one; the route table names it. The order gives each scope its bit and
 * may only grow.
 */
export const SCOPES = [
  'messages:send',
  'messages:read',
  'templates:read',
  'templates:write',
  'media',
  'webhooks',
  'events:read',
  'number:read',
  'number:manage',
  'opt-outs',
  'audit:read',
  'people',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Roles of operators, the weakest first: each may do all that the roles before it may. */
export const OPERATOR_ROLES = ['support', 'operator', 'admin'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** Returns the bit set of these scopes. Unknown names, of a newer version of the gateway, permit nothing. */
export function bitsOf(scopes: readonly string[]): number {
  return SCOPES.reduce((bits, scope, index) => (scopes.includes(scope) ? bits | (1 << index) : bits), 0);
}

/** True if a caller with role `own` may call an operation that needs `needed`. */
export function hasRole(own: OperatorRole, needed: OperatorRole): boolean {
  return OPERATOR_ROLES.indexOf(own) >= OPERATOR_ROLES.indexOf(needed);
}
