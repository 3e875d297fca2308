import type { Answer, Served } from './tenant.ts';
import { call } from './tenant.ts';

/** A page of the console: its cookie, as a browser keeps it. */
export interface Page {
  cookie: string;
  signedIn: Answer;
}

const PAGE = { 'fairway-console': '1', 'sec-fetch-site': 'same-origin' };

/** Signs in at the console and keeps the cookie. */
export async function signIn(gateway: Served, credential: { token: string } | { link: string }): Promise<Page> {
  const signedIn = await call(gateway, undefined, 'POST', '/console/session', { body: credential, headers: PAGE });
  return { cookie: signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '', signedIn };
}

/** Calls a path as a page of the console does. */
export function askAsPage(
  gateway: Served,
  { cookie }: Pick<Page, 'cookie'>,
  method: string,
  path: string,
  more: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return call(gateway, undefined, method, path, { ...more, headers: { cookie, ...PAGE, ...more.headers } });
}
