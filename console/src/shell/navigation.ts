import { may, mayOperate, type Session } from '../api/session.ts';
import type { Texts } from '../texts/index.ts';

export interface PageEntry {
  to:
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
    | '/organizations'
    | '/operators'
    | '/audit'
    | '/journal'
    | '/playground';
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
    !isAdmin && !isLimited && has('audit:read') && { to: '/audit', label: nav.audit, group: 'organization' },
  ];
  return entries.filter((entry) => entry !== false);
}
