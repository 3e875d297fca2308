import assert from 'node:assert/strict';
import { before } from 'node:test';
import { endBefore, fill, useGateway } from '../harness/fixtures.ts';
import type { Gateway, GatewayOptions } from '../harness/gateway.ts';
import { type Account, startIdentityProvider, type TestProvider } from '../harness/identity-provider.ts';
import type { Answer } from '../harness/tenant.ts';
import { WebWalk } from '../harness/web-walk.ts';

/** People at the provider: one for each role, and one without any. */
export const ADA = { sub: 'ada-1', email: 'ada@example.com', name: 'Ada Example', groups: ['owners', 'help-desk'] };
export const GRACE = { sub: 'grace-1', email: 'grace@example.com', name: 'Grace Example', groups: ['on-call'] };
export const SAM = { sub: 'sam-1', email: 'sam@example.com', name: 'Sam Example', groups: ['help-desk'] };
export const EVE = { sub: 'eve-1', email: 'eve@example.com', name: 'Eve Example', groups: ['sales'] };

const PAGE = { 'fairway-console': '1', 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };

type OidcSettings = ReturnType<TestProvider['settings']>;

/** Returns a gateway with an identity provider, for the tests of the enclosing suite. */
export function useOidc(
  options: GatewayOptions = {},
  more: Partial<OidcSettings> = {},
  start: () => Promise<TestProvider> = startIdentityProvider,
): { gateway: Gateway; provider: TestProvider } {
  const provider = fill(start);
  const gateway = useGateway({
    ...options,
    settings: (usual) => ({ ...options.settings?.(usual), oidc: provider.settings(more) }),
  });
  before(() => provider.register(gateway.baseUrl));
  endBefore(gateway, () => provider.close());
  return { gateway, provider };
}

/** Begins a sign-in as a page does. Returns the address at the provider. */
export async function begin(gateway: Gateway, walk: WebWalk, returnTo = ''): Promise<URL> {
  const answer = await walk.ask(`${gateway.baseUrl}/console/oidc`, {
    method: 'POST',
    headers: PAGE,
    body: JSON.stringify({ return_to: returnTo }),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return new URL(JSON.parse(text).url);
}

/** Signs in at the provider. Returns the address that it sends the browser back to, which is not asked yet. */
export function toCallback(gateway: Gateway, walk: WebWalk, url: URL): Promise<URL> {
  return walk.follow(url.href, `${gateway.baseUrl}/console/oidc/callback`);
}

/** Signs a person in, from the button to the return. */
export async function signInAs(
  { gateway, provider }: { gateway: Gateway; provider: TestProvider },
  person: Account | undefined,
  { walk = new WebWalk(), returnTo = '' } = {},
): Promise<{ walk: WebWalk; returned: Response }> {
  provider.seat.person = person;
  const callback = await toCallback(gateway, walk, await begin(gateway, walk, returnTo));
  return { walk, returned: await walk.ask(callback.href) };
}

/** Calls a path as a page of the console does. */
export async function ask(
  gateway: Gateway,
  walk: WebWalk,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await walk.ask(`${gateway.baseUrl}${path}`, {
    method,
    headers: PAGE,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** Returns the refusal that the sign-in page shows after a return, which has opened no session. */
export async function refusalOf(gateway: Gateway, walk: WebWalk, returned: Response) {
  assert.equal(returned.status, 303);
  assert.ok(returned.headers.get('location')?.startsWith(`${gateway.baseUrl}/console/`));
  assert.ok(!returned.headers.getSetCookie().some((line) => line.startsWith('fairway_session=')));
  assert.equal((await ask(gateway, walk, 'GET', '/console/session')).status, 401);
  return (await ask(gateway, walk, 'GET', '/console/oidc')).json.refusal;
}
