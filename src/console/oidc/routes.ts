import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import { Type } from 'typebox';
import { AppError } from '../../core/errors.ts';
import type { SecretBox } from '../../core/secret-box.ts';
import type { Clock } from '../../core/time/clock.ts';
import { addressFor, checkPageRequest, readJsonBody } from '../../http/index.ts';
import { completeSignIn, type SignInDeps } from './complete-sign-in.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { ProviderFailure } from './provider-failure.ts';
import { signInCookie } from './sign-in-cookie.ts';

const CALLBACK = '/console/oidc/callback';
const HIDDEN = { schema: { hide: true } };
/** Characters of addresses that the pages make. Others are not returned to: the person then sees the first page. */
const beginBody = Type.Object(
  { return_to: Type.String({ maxLength: 1000, pattern: "^[\\w\\-./?&=%+~:,!*'()@]*$" }) },
  { additionalProperties: false },
);

export interface OidcRouteDeps extends Omit<SignInDeps, 'provider'> {
  provider: IdentityProvider | null;
  secretBox: SecretBox;
  clock: Clock;
  publicUrl: string | null;
  /** Header that stores the cookie of a session. */
  sessionCookie: (secret: string) => string;
}

/** Registers the sign-in by the identity provider: its options, its beginning, and the return from the provider. */
export function oidcRoutes(app: FastifyInstance, { provider, ...deps }: OidcRouteDeps): void {
  const { clock, publicUrl, log } = deps;
  const cookie = signInCookie({
    box: deps.secretBox,
    now: () => clock.now(),
    isSecure: publicUrl?.startsWith('https:') === true,
  });
  const baseOf = (request: FastifyRequest) => addressFor(request, publicUrl);
  const checkPage = (request: FastifyRequest) => checkPageRequest(request, new URL(baseOf(request)).origin);

  app.get('/console/oidc', HIDDEN, (request, reply) => {
    checkPage(request);
    const content = cookie.read(request.headers.cookie);
    const refusal = content !== undefined && 'refusal' in content ? content.refusal : null;
    // A refusal is shown once.
    if (refusal !== null) reply.header('set-cookie', cookie.remove());
    return reply
      .header('cache-control', 'no-store')
      .send({ provider: provider === null ? null : { label: provider.settings.label }, refusal });
  });

  if (provider === null) return;

  app.post('/console/oidc', HIDDEN, async (request, reply) => {
    checkPage(request);
    const { return_to: returnTo } = readJsonBody(request, beginBody);
    const secrets = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
    try {
      const url = await provider.authorizationUrl(secrets, `${baseOf(request)}${CALLBACK}`);
      return reply
        .header('set-cookie', cookie.store({ pending: { ...secrets, returnTo } }))
        .header('cache-control', 'no-store')
        .send({ url });
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      log.warn(
        { reason: error.message, requestId: request.id },
        'identity provider not usable; the sign-in is refused',
      );
      throw new AppError('UNAVAILABLE', 'The identity provider does not answer as it should.', {
        retryAfterSeconds: 5,
      });
    }
  });

  // A HEAD request, such as of a link preview, must not use up the code.
  app.get(CALLBACK, { ...HIDDEN, exposeHeadRoute: false }, async (request, reply) => {
    const base = baseOf(request);
    const content = cookie.read(request.headers.cookie);
    const pending = content !== undefined && 'pending' in content ? content.pending : undefined;
    const callback = new URL(`${base}${CALLBACK}${/\?.*$/.exec(request.url)?.[0] ?? ''}`);
    const outcome = await completeSignIn({ ...deps, provider }, { request, callback, pending });
    const cookies =
      'refusal' in outcome ? [cookie.store(outcome)] : [cookie.remove(), deps.sessionCookie(outcome.secret)];
    return redirect(reply.header('set-cookie', cookies), `${base}/console/`, pending?.returnTo);
  });
}

/** Leads to a page of the console. The code and the state must leave the address, and the referrer must not repeat them. */
function redirect(reply: FastifyReply, consoleUrl: string, returnTo = ''): FastifyReply {
  const target = new URL(`${consoleUrl}${returnTo}`).href;
  return reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .redirect(target.startsWith(consoleUrl) ? target : consoleUrl, 303);
}
