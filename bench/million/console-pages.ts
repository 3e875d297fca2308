import type { Browser } from 'playwright-core';

/** A call that a page made. */
export interface PageCall {
  page: string;
  path: string;
  /** Organization in the call's header. */
  organization: string | undefined;
}

/** Addresses that the visits need. */
export interface Subjects {
  org: string;
  /** Has thousands of messages with one number. */
  person: string;
  number: string;
  delivered: string;
  failed: string;
  waiting: string;
  endpoint: string;
  disabledEndpoint: string;
  template: string;
  callbackData: string;
}

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

/** Pages of an organization, as a person visits them, with the filters of a search. */
export function pagesOfOrganization(subjects: Subjects): Record<string, string> {
  const { org, person, number, delivered, failed, waiting, endpoint, disabledEndpoint, template, callbackData } =
    subjects;
  const messages = (filter = '') => `/messages?org=${org}${filter}`;
  return {
    Messages: messages(),
    'Messages, queued': messages('&status=queued'),
    'Messages, failed': messages('&status=failed'),
    'Messages, failed three days ago': messages(`&status=failed&from=${hoursAgo(96)}&to=${hoursAgo(72)}`),
    'Messages, a frequent error code': messages('&error_code=131049'),
    'Messages, a rare error code': messages('&error_code=132068'),
    'Messages, an unknown error code': messages('&error_code=1'),
    'Messages, a template': messages('&template=notice_3'),
    'Messages, received on a number': messages(`&direction=inbound&number=${number}`),
    'Messages, a person': messages(`&recipient=%2B${person}`),
    'Messages, callback data': messages(`&biz_opaque_callback_data=${callbackData}`),
    'Messages, a day': messages(`&from=${hoursAgo(60)}&to=${hoursAgo(36)}`),
    'Message, delivered': `/messages/${delivered}?org=${org}`,
    'Message, failed': `/messages/${failed}?org=${org}`,
    'Message, waiting': `/messages/${waiting}?org=${org}`,
    Conversation: `/conversations?org=${org}&number=${number}&person=%2B${person}`,
    'Numbers and accounts': `/numbers?org=${org}`,
    Templates: `/templates?org=${org}`,
    Template: `/templates/${template}?org=${org}`,
    Webhooks: `/webhooks?org=${org}`,
    Webhook: `/webhooks/${endpoint}?org=${org}`,
    'Webhook, failed deliveries': `/webhooks/${endpoint}?org=${org}&status=failed`,
    'Webhook, pending deliveries': `/webhooks/${disabledEndpoint}?org=${org}&status=pending`,
    'Event feed': `/events?org=${org}`,
    'Opt-outs': `/opt-outs?org=${org}`,
    "People's data": `/people?org=${org}&person=%2B${person}`,
    'Audit log of an organization': `/audit?org=${org}`,
  };
}

/** Pages of operators alone. */
export function pagesOfOperator({ org }: Subjects): Record<string, string> {
  return {
    Now: '/now',
    Queue: '/queue',
    'Queue of an organization': `/queue?org=${org}`,
    Organizations: '/organizations',
    Organization: `/organizations/${org}`,
    'Organization, keys': `/organizations/${org}?tab=keys`,
    'Organization, plan': `/organizations/${org}?tab=plan`,
    'Organization, usage': `/organizations/${org}?tab=usage`,
    'Organization, usage by template': `/organizations/${org}?tab=usage&by=template`,
    'Organization, rates': `/organizations/${org}?tab=rates`,
    Operators: '/operators',
    'Audit log': '/audit',
    'Upstream journal': '/journal',
    'Upstream journal, three days ago': `/journal?from=${hoursAgo(72)}&to=${hoursAgo(48)}`,
  };
}

/** Signs in with a token or key. Resolves with the session's cookie, `name=value`. */
export async function signIn(port: number, token: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'fairway-console': '1', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ token }),
  });
  if (!answer.ok) throw new Error(`signing in: ${answer.status} ${await answer.text()}`);
  return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

/** Opens a window of the signed-in person. */
export async function openWindow(browser: Browser, port: number, cookie: string, screen = {}) {
  const url = `http://127.0.0.1:${port}`;
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...screen });
  const [name = '', value = ''] = cookie.split('=', 2);
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  return { context, page, url };
}

/** Visits the pages in a browser. Resolves with the reading calls of each, without repetitions. */
export async function listCalls(
  browser: Browser,
  port: number,
  cookie: string,
  pages: Record<string, string>,
): Promise<PageCall[]> {
  const { context, page, url } = await openWindow(browser, port, cookie);
  const calls = new Map<string, PageCall>();
  let visited = '';
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.method() !== 'GET' || !/^\/(?:v1|admin|console\/session)/.test(pathname)) return;
    const organization = request.headers()['fairway-organization'];
    const path = pathname + search;
    calls.set(`${visited} ${path}`, { page: visited, path, organization });
  });
  for (const [name, path] of Object.entries(pages)) {
    visited = name;
    process.stderr.write(`visiting ${name} …\n`);
    await page.goto(`${url}/console${path}`);
    await page.locator('h1, [role="alert"]').first().waitFor();
    // A page calls again and again, and one call waits for events, so the network never becomes idle.
    await page.waitForTimeout(1_500);
  }
  await context.close();
  return [...calls.values()];
}
