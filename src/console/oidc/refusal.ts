import { OPERATOR_ROLES, type OperatorRole } from '../../http/index.ts';
import type { OidcSettings } from './oidc-settings.ts';
import type { FailureKind } from './provider-failure.ts';
import type { Person } from './read-person.ts';

/**
 * A refused sign-in, as the pages explain it:
 * - `expired`: the sign-in took too long, or belongs to another window or browser
 * - `no_role`: the provider gives the person no role
 * - `revoked`: an admin has revoked the operator, or the operator's expiry has passed
 * - `limited`: too many attempts from the address
 */
export interface Refusal {
  reason: FailureKind | 'expired' | 'no_role' | 'revoked' | 'limited';
  /** The person's name at the provider; `null` if it is not known. */
  account: string | null;
  /** For `no_role`: the claim, and the values that each role needs. */
  asks: { claim: string; roles: { role: OperatorRole; values: readonly string[] }[] } | null;
}

export function refusalFor(reason: Exclude<Refusal['reason'], 'no_role'>, person?: Person): Refusal {
  return { reason, account: person === undefined ? null : accountOf(person), asks: null };
}

/** Returns the refusal of a person without a role, which names what to ask for. */
export function refusalWithoutRole(person: Person, { roleClaim, valuesOf }: OidcSettings): Refusal {
  const roles = OPERATOR_ROLES.map((role) => ({ role, values: valuesOf[role] }));
  return {
    reason: 'no_role',
    account: accountOf(person),
    asks: { claim: roleClaim, roles: roles.filter(({ values }) => values.length > 0) },
  };
}

function accountOf({ email, name }: Person): string {
  return email ?? name;
}
