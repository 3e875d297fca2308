import { isObject } from '../../core/json/index.ts';
import { type Identity, OPERATOR_ROLES, type OperatorRole } from '../../http/index.ts';
import type { OidcSettings } from './oidc-settings.ts';

/** Claims of a verified ID token, completed by UserInfo. */
export type Claims = Readonly<Record<string, unknown>>;

/** A person whom the identity provider has authenticated. */
export type Person = Identity & { name: string };

const TEXT_MAX = 200;
/** Length that OpenID Connect allows for `sub`, in ASCII characters. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Returns the person of verified claims; undefined if `sub` breaks the rules of OpenID Connect. */
export function readPerson(claims: Claims): Person | undefined {
  const { iss: issuer, sub } = claims;
  if (typeof issuer !== 'string' || typeof sub !== 'string' || !SUBJECT.test(sub)) return undefined;
  const email = textOf(claims.email);
  const name = textOf(claims.name) ?? textOf(claims.preferred_username) ?? email ?? sub.slice(0, TEXT_MAX);
  return { issuer, subject: sub, email: email ?? null, name };
}

/** Returns the strongest role that the claims give; undefined if they give none. */
export function roleOf(
  claims: Claims,
  { roleClaim, valuesOf }: Pick<OidcSettings, 'roleClaim' | 'valuesOf'>,
): OperatorRole | undefined {
  const claim = findClaim(claims, roleClaim);
  const values = new Set(Array.isArray(claim) ? claim : [claim]);
  return OPERATOR_ROLES.findLast((role) => valuesOf[role].some((value) => values.has(value)));
}

/** Returns a claim by its name, or by its path with dots, such as `realm_access.roles`. A name may itself contain dots. */
export function findClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) => (isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined),
      claims,
    );
}

/** Returns a claim as one printable line; undefined for an empty one, and for anything but text. */
function textOf(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const line = claim.replaceAll(UNPRINTABLE, '').trim().slice(0, TEXT_MAX).toWellFormed();
  return line === '' ? undefined : line;
}
