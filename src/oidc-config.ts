import type { OidcSettings } from './console/index.ts';
import { baseUrlOf, listOf, switchOf, variable } from './setting-readers.ts';

const GROUPS = 'one or more values of the claim, comma separated';

/** Variables of the sign-in at the console by an identity provider. */
export const OIDC_VARIABLES = {
  /** URL of the issuer, as its discovery document states it. */
  OIDC_ISSUER: variable<string | null>(
    'an https URL without credentials, query or fragment (http only for this machine), e.g. https://login.example.com/realms/main',
    null,
    issuerOf,
  ),
  /** Id of this gateway at the provider. */
  OIDC_CLIENT_ID: variable<string | null>('a client id', null, printableOf),
  /** Secret of this gateway at the provider; none for a public client. */
  OIDC_CLIENT_SECRET: variable<string | null>('a client secret', null, printableOf),
  /** Scopes that are asked for. */
  OIDC_SCOPES: variable('scopes with openid among them, separated by spaces', 'openid profile email', (text) =>
    /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(text) && text.split(/ +/).includes('openid') ? text : undefined,
  ),
  /** Claim that has a person's groups or roles. */
  OIDC_ROLE_CLAIM: variable('the name or path of a claim, e.g. groups or realm_access.roles', 'groups', printableOf),
  /** Values of the claim that give the role admin. */
  OIDC_ADMIN_GROUPS: variable<string[]>(GROUPS, [], listOf),
  /** Values of the claim that give the role operator. */
  OIDC_OPERATOR_GROUPS: variable<string[]>(GROUPS, [], listOf),
  /** Values of the claim that give the role support. */
  OIDC_SUPPORT_GROUPS: variable<string[]>(GROUPS, [], listOf),
  /** Name of the provider on the button. */
  OIDC_LABEL: variable<string | null>('a name of at most 60 characters', null, (text) =>
    /^[^\p{C}]{1,60}$/u.test(text) ? text : undefined,
  ),
  /** Ends the session at the provider, too, when a person signs out. */
  OIDC_LOGOUT: variable('on or off', true, switchOf),
};

type Values = { [Name in keyof typeof OIDC_VARIABLES]: (typeof OIDC_VARIABLES)[Name]['absent'] };

/** Returns what is missing from the variables that are set. */
export function oidcProblems(texts: ReadonlyMap<string, string>): string[] {
  const given = Object.keys(OIDC_VARIABLES).filter((name) => texts.has(name));
  if (given.length === 0) return [];
  const missing = ['OIDC_ISSUER', 'OIDC_CLIENT_ID'].filter((name) => !texts.has(name));
  const problems = missing.map((name) => `${name} must be set when ${given[0]} is.`);
  if (!given.some((name) => name.endsWith('_GROUPS'))) {
    problems.push(
      'OIDC_ADMIN_GROUPS, OIDC_OPERATOR_GROUPS or OIDC_SUPPORT_GROUPS must be set: without them, nobody has a role.',
    );
  }
  if (!texts.has('PUBLIC_URL')) {
    problems.push('PUBLIC_URL must be set when OIDC_ISSUER is: the provider sends people back to this address.');
  }
  return problems;
}

/** Returns the settings of the identity provider; `null` without one. */
export function oidcSettings(values: Values): OidcSettings | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = values;
  if (issuer === null || clientId === null) return null;
  return {
    issuer,
    clientId,
    clientSecret: values.OIDC_CLIENT_SECRET,
    scopes: values.OIDC_SCOPES,
    roleClaim: values.OIDC_ROLE_CLAIM,
    valuesOf: {
      support: values.OIDC_SUPPORT_GROUPS,
      operator: values.OIDC_OPERATOR_GROUPS,
      admin: values.OIDC_ADMIN_GROUPS,
    },
    label: values.OIDC_LABEL ?? new URL(issuer).hostname,
    endsProviderSession: values.OIDC_LOGOUT,
  };
}

/** Plain http would let anybody between the gateway and the provider sign in. */
function issuerOf(text: string): string | undefined {
  if (baseUrlOf(text) === undefined) return undefined;
  const { protocol, hostname, href } = new URL(text);
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
  return protocol === 'https:' || isLocal ? href : undefined;
}

function printableOf(text: string): string | undefined {
  return /^[\x20-\x7e]+$/.test(text) ? text : undefined;
}
