import type { Now } from '../../core/now.ts';
import type { OperatorRole } from './scopes.ts';

/** A person as the identity provider names them. */
export interface Identity {
  issuer: string;
  /** The provider's own, lasting name of the person. */
  subject: string;
  /** As stated at the last sign-in; for display only. */
  email: string | null;
}

/** A caller of the admin API. */
export interface Operator {
  /** `null` for the holder of ADMIN_TOKEN. */
  id: string | null;
  name: string;
  role: OperatorRole;
  expiresAt: Date | null;
  /** `null` for an operator with a token. */
  identity: Identity | null;
}

/** Returns the operator with this token; undefined for an unknown, expired or revoked token. Synchronous if possible. */
export type FindOperator = (token: string) => Now<Operator | undefined>;

export const FIRST_ADMIN: Operator = {
  id: null,
  name: 'ADMIN_TOKEN',
  role: 'admin',
  expiresAt: null,
  identity: null,
};
