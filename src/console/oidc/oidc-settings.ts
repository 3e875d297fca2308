import type { OperatorRole } from '../../http/index.ts';

/** Settings of the sign-in by an identity provider. */
export interface OidcSettings {
  /** URL of the issuer, as its discovery document states it. */
  issuer: string;
  clientId: string;
  /** `null` for a public client, which proves itself by PKCE alone. */
  clientSecret: string | null;
  /** Separated by spaces; `openid` is among them. */
  scopes: string;
  /** Claim that has a person's groups or roles, as a text or a list of texts. */
  roleClaim: string;
  /** Values of the claim that give each role. */
  valuesOf: Readonly<Record<OperatorRole, readonly string[]>>;
  /** Name of the provider on the button. */
  label: string;
  /** True if a sign-out also ends the session at the provider. */
  endsProviderSession: boolean;
}
