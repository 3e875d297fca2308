import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  type ServerMetadata,
} from 'openid-client';
import type { Clock } from '../../core/time/clock.ts';
import { fetchBounded } from './fetch-bounded.ts';
import type { OidcSettings } from './oidc-settings.ts';
import { failureOf, ProviderFailure } from './provider-failure.ts';
import { type Claims, findClaim } from './read-person.ts';

/** Longest time in seconds for one answer of the provider. A sign-in waits for at most four. */
const ANSWER_S_MAX = 5;
const METADATA_MS = 60 * 60_000;
/** Time after a failed discovery in which the provider is not asked again. Without this, a crowd at the button would wait one by one. */
const FAILURE_MS = 5_000;

/** Secrets of one sign-in, made before the browser leaves for the provider. */
export interface SignInSecrets {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/**
 * The identity provider of this gateway's operators. Its discovery document is read at the first sign-in, so a provider that is down stops
 * nothing but sign-ins.
 */
export class IdentityProvider {
  readonly settings: OidcSettings;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #known: { metadata: ServerMetadata; untilMs: number } | undefined;
  #failed: { failure: ProviderFailure; untilMs: number } | undefined;
  #reading: Promise<ServerMetadata> | undefined;

  constructor(settings: OidcSettings, { clock }: { clock: Pick<Clock, 'monotonicMs'> }) {
    this.settings = settings;
    this.#clock = clock;
  }

  /**
   * Returns the address at the provider that begins a sign-in.
   * @throws ProviderFailure
   */
  async authorizationUrl({ state, nonce, codeVerifier }: SignInSecrets, redirectUri: string): Promise<string> {
    const config = this.#configure(await this.#metadata());
    const url = buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: this.settings.scopes,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /**
   * Redeems the code in the address to which the provider sent the browser. Returns the claims of the ID token, completed by UserInfo if
   * they lack the role or the name. State, issuer, nonce and signature are checked.
   * @throws ProviderFailure
   */
  async redeem(callback: URL, { state, nonce, codeVerifier }: SignInSecrets): Promise<Claims> {
    const config = this.#configure(await this.#metadata());
    try {
      const tokens = await authorizationCodeGrant(config, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new ProviderFailure('refused', 'no ID token');
      const isComplete = findClaim(claims, this.settings.roleClaim) !== undefined && claims.email !== undefined;
      if (isComplete || config.serverMetadata().userinfo_endpoint === undefined) return claims;
      // The ID token is signed, so its claims win over those of UserInfo.
      return { ...(await fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** Returns the address at which the provider ends its own session; undefined if it has none or does not answer. */
  async endSessionUrl(returnTo: string): Promise<string | undefined> {
    if (!this.settings.endsProviderSession) return undefined;
    try {
      const metadata = await this.#metadata();
      if (metadata.end_session_endpoint === undefined) return undefined;
      return buildEndSessionUrl(this.#configure(metadata), { post_logout_redirect_uri: returnTo }).href;
    } catch {
      return undefined;
    }
  }

  /**
   * Reads the discovery document now.
   * @throws ProviderFailure
   */
  async check(): Promise<void> {
    await this.#read();
  }

  async #metadata(): Promise<ServerMetadata> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#known !== undefined && nowMs < this.#known.untilMs) return this.#known.metadata;
    if (this.#failed !== undefined && nowMs < this.#failed.untilMs) throw this.#failed.failure;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return await this.#reading;
  }

  async #read(): Promise<ServerMetadata> {
    const { issuer, clientId } = this.settings;
    try {
      const config = await discovery(new URL(issuer), clientId, undefined, None(), {
        execute: this.#extensions(),
        timeout: ANSWER_S_MAX,
        [customFetch]: fetchBounded,
      });
      const metadata = config.serverMetadata();
      checkEndpoints(metadata);
      this.#known = { metadata, untilMs: this.#clock.monotonicMs() + METADATA_MS };
      this.#failed = undefined;
      return metadata;
    } catch (error) {
      const failure = failureOf(error);
      this.#failed = { failure, untilMs: this.#clock.monotonicMs() + FAILURE_MS };
      throw failure;
    }
  }

  /**
   * Returns a configuration for one sign-in. The library keeps the provider's keys with the configuration; a new one reads them again, so
   * the first sign-in after a change of the keys already works.
   */
  #configure(metadata: ServerMetadata): Configuration {
    const config = new Configuration(metadata, this.settings.clientId, undefined, this.#authentication(metadata));
    config[customFetch] = fetchBounded;
    config.timeout = ANSWER_S_MAX;
    for (const extend of this.#extensions()) extend(config);
    // Without this, the library trusts TLS for the token endpoint and leaves the signature of the ID token unchecked.
    enableNonRepudiationChecks(config);
    return config;
  }

  #authentication({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): ClientAuth {
    const { clientSecret } = this.settings;
    if (clientSecret === null) return None();
    // OpenID Connect names client_secret_basic as the method of a provider that lists none.
    return methods?.includes('client_secret_basic') === false
      ? ClientSecretPost(clientSecret)
      : ClientSecretBasic(clientSecret);
  }

  /** Plain http is permitted for an issuer on this machine only; the configuration refuses others. */
  #extensions(): ((config: Configuration) => void)[] {
    return this.settings.issuer.startsWith('http:') ? [allowInsecureRequests] : [];
  }
}

/** Checks that a provider offers all that a sign-in needs. */
function checkEndpoints(metadata: ServerMetadata): void {
  const { authorization_endpoint, token_endpoint, jwks_uri, code_challenge_methods_supported: challenges } = metadata;
  if (authorization_endpoint === undefined || token_endpoint === undefined || jwks_uri === undefined) {
    throw new ProviderFailure('refused', 'the discovery document lacks an endpoint');
  }
  if (challenges?.includes('S256') === false)
    throw new ProviderFailure('refused', 'the provider does not offer PKCE with S256');
}
