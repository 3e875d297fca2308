import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Configuration, errors, Provider } from 'oidc-provider';
import type { AppOptions } from '../../src/app-options.ts';

type OidcSettings = NonNullable<AppOptions['oidc']>;

/** A person at the provider. */
export interface Account {
  sub: string;
  email?: string;
  name?: string;
  groups?: string[];
}

/** An identity provider on this machine that signs people in without asking. */
export interface TestProvider {
  issuer: string;
  /** The person in front of the browser; none for one who refuses. */
  readonly seat: { person?: Account | undefined };
  /** Answers in place of the provider's own, by path; `null` cuts the connection. */
  readonly answers: Map<string, ((response: ServerResponse) => void) | null>;
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  /** Settings with which a gateway uses it. */
  settings(more?: Partial<OidcSettings>): OidcSettings;
  /** Registers the address of a gateway. */
  register(gatewayUrl: string): void;
  /** Replaces the keys and forgets all that was signed with them. */
  rotateKeys(): void;
  close(): Promise<void>;
}

const CLIENT_ID = 'fairway';
const CLIENT_SECRET = 'the-secret-of-the-test-client';
const PUBLIC_CLIENT_ID = 'fairway-public';

/** Drops what the provider prints: advice for those who run it in earnest. */
for (const method of ['info', 'warn'] as const) {
  const print = console[method];
  console[method] = (...words: unknown[]) => {
    if (!String(words[0]).includes('oidc-provider ')) print(...words);
  };
}

/** Starts the provider. Its host differs from the gateway's, so that a browser takes it for another site. */
export async function startIdentityProvider(more: Configuration = {}): Promise<TestProvider> {
  const answers: TestProvider['answers'] = new Map();
  const asked: string[] = [];
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    asked.push(path);
    const answer = answers.get(answers.has(path) ? path : '*');
    if (answer === null) request.socket.destroy();
    else if (answer === undefined) handle(request, response);
    else answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const seat: TestProvider['seat'] = {};
  let gatewayUrls: string[] = [];
  const accounts = new Map<string, Account>();

  const provider: TestProvider = {
    issuer,
    seat,
    answers,
    asked,
    settings: (settings) => ({
      issuer: `${issuer}/`,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      scopes: 'openid profile email groups',
      roleClaim: 'groups',
      valuesOf: { support: ['help-desk'], operator: ['on-call'], admin: ['owners'] },
      label: 'Example Login',
      endsProviderSession: true,
      ...settings,
    }),
    register(gatewayUrl) {
      gatewayUrls = [...gatewayUrls, gatewayUrl];
      provider.rotateKeys();
    },
    rotateKeys() {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const jwk = { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'RS256', use: 'sig' };
      handle = createHandler(issuer, gatewayUrls, { ...more, jwks: { keys: [jwk] } });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function createHandler(url: string, gateways: readonly string[], configuration: Configuration) {
    const client = {
      redirect_uris: gateways.map((gateway) => `${gateway}/console/oidc/callback`),
      post_logout_redirect_uris: gateways.map((gateway) => `${gateway}/console/`),
    };
    const made = new Provider(url, {
      clients: [
        { ...client, client_id: CLIENT_ID, client_secret: CLIENT_SECRET },
        { ...client, client_id: PUBLIC_CLIENT_ID, token_endpoint_auth_method: 'none' },
      ],
      cookies: { keys: [randomUUID()] },
      claims: { openid: ['sub'], profile: ['name'], email: ['email'], groups: ['groups'] },
      scopes: ['openid', 'profile', 'email', 'groups'],
      pkce: { required: () => true },
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: {
          enabled: true,
          // The page of the package loads a font from the internet.
          async logoutSource(context, form) {
            context.body = `<!doctype html>${form}<button form="op.logoutForm" name="logout" value="yes">Yes</button>`;
          },
        },
      },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, sub) => ({
        accountId: sub,
        claims: async () => ({ ...accounts.get(sub), sub }),
      }),
      // Nobody is asked for consent.
      async loadExistingGrant({ oidc }) {
        const grant = new made.Grant({
          ...(oidc.client !== undefined && { clientId: oidc.client.clientId }),
          ...(oidc.session?.accountId !== undefined && { accountId: oidc.session.accountId }),
        });
        grant.addOIDCScope('openid profile email groups');
        await grant.save();
        return grant;
      },
      ...configuration,
    });
    const serve = made.callback();
    return (request: IncomingMessage, response: ServerResponse) => {
      if (!request.url?.startsWith('/interaction/')) return void serve(request, response);
      const { person } = seat;
      if (person !== undefined) accounts.set(person.sub, person);
      const result =
        person === undefined ? { error: 'access_denied' } : { login: { accountId: person.sub, remember: false } };
      made.interactionFinished(request, response, result).catch((error: unknown) => {
        response.writeHead(error instanceof errors.SessionNotFound ? 400 : 500).end();
      });
    };
  }

  provider.rotateKeys();
  return provider;
}

/** Settings of a client without a secret. */
export const PUBLIC_CLIENT: Partial<OidcSettings> = { clientId: PUBLIC_CLIENT_ID, clientSecret: null };
