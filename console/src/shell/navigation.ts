import { may, mayOperate, type Session } from '../api/session.ts';
import type { Texts } from '../texts/index.ts';

/** The first part of the path of every page. */
type PagePath =
  | '/now'
  | '/queue'
  | '/messages'
  | '/conversations'
  | '/numbers'
  | '/templates'
  | '/webhooks'
  | '/events'
  | '/opt-outs'
  | '/people'
  | '/usage'
  | '/organizations'
  | '/operators'
  | '/apps'
  | '/audit'
  | '/journal'
  | '/playground';

export interface PageEntry {
  to: PagePath;
  label: string;
  group: 'gateway' | 'organization';
}

/** Returns the pages that the caller may open, in the order of the menu. */
export function pagesFor(session: Session, { nav }: Texts['shell']): PageEntry[] {
  const isOperator = session.kind === 'operator';
  const has = (scope: string) => may(session, scope);
  const isAdmin = session.role === 'admin';
  const isLimited = session.numbers !== null;
  const entries: (PageEntry | false)[] = [
    isOperator && { to: '/now', label: nav.now, group: 'gateway' },
    isOperator && { to: '/queue', label: nav.queue, group: 'gateway' },
    isOperator && { to: '/organizations', label: nav.tenants, group: 'gateway' },
    isAdmin && { to: '/operators', label: nav.operators, group: 'gateway' },
    isAdmin && { to: '/apps', label: nav.apps, group: 'gateway' },
    isAdmin && { to: '/audit', label: nav.audit, group: 'gateway' },
    isOperator && { to: '/journal', label: nav.journal, group: 'gateway' },
    session.simulator && mayOperate(session) && { to: '/playground', label: nav.playground, group: 'gateway' },
    has('messages:read') && { to: '/messages', label: nav.messages, group: 'organization' },
    has('messages:read') && { to: '/conversations', label: nav.conversations, group: 'organization' },
    has('number:read') && { to: '/numbers', label: nav.numbers, group: 'organization' },
    has('templates:read') && !isLimited && { to: '/templates', label: nav.templates, group: 'organization' },
    has('webhooks') && !isLimited && { to: '/webhooks', label: nav.webhooks, group: 'organization' },
    has('events:read') && { to: '/events', label: nav.events, group: 'organization' },
    has('opt-outs') && { to: '/opt-outs', label: nav.optOuts, group: 'organization' },
    has('people') && !isLimited && { to: '/people', label: nav.people, group: 'organization' },
    !isOperator && !isLimited && has('messages:read') && { to: '/usage', label: nav.usage, group: 'organization' },
    !isAdmin && !isLimited && has('audit:read') && { to: '/audit', label: nav.audit, group: 'organization' },
  ];
  return entries.filter((entry) => entry !== false);
}

/** Every page; the compiler asks for a new one. False for a page that names its own conditions. */
const IS_GUARDED: Record<string, boolean> & Record<PagePath, boolean> = {
  '/now': true,
  '/queue': true,
  '/messages': true,
  '/conversations': true,
  '/numbers': true,
  '/templates': true,
  '/webhooks': true,
  '/events': true,
  '/opt-outs': true,
  '/people': true,
  '/usage': true,
  '/organizations': true,
  '/operators': true,
  '/apps': true,
  '/audit': true,
  '/journal': true,
  '/playground': false,
};

/**
 * Returns false for a page that is not for the caller. Without this, a shared link to a page of operators ends the session of a key: the
 * gateway answers the page's calls with 401.
 * @param route the path of the route, such as `/webhooks/$id`
 */
export function mayOpen(route: string, session: Session, texts: Texts['shell']): boolean {
  const path = `/${route.split('/')[1] ?? ''}`;
  return IS_GUARDED[path] !== true || pagesFor(session, texts).some(({ to }) => to === path);
}
