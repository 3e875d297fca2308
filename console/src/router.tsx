import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  retainSearchParams,
} from '@tanstack/react-router';
import { CONSOLE_PATH } from './api/paths.ts';
import { useSession } from './api/session-context.ts';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { PageFailure } from './pages/page-failure.tsx';
import { LoadingPage } from './parts/states.tsx';
import { Shell } from './shell/shell.tsx';

type Search = { [name: string]: string | undefined };

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NotFoundPage,
  errorComponent: PageFailure,
  validateSearch: (search: Record<string, unknown>): Search =>
    Object.fromEntries(Object.entries(search).filter(([, value]) => typeof value === 'string')) as Search,
  // The chosen organization stays on the way from page to page.
  search: { middlewares: [retainSearchParams(['org'])] },
});

function Home() {
  const { kind } = useSession();
  return <Navigate to={kind === 'operator' ? '/now' : '/messages'} replace />;
}

const on = <Path extends string>(path: Path) => ({ getParentRoute: () => rootRoute, path });
const home = createRoute({ ...on('/'), component: Home });
const now = createRoute({
  ...on('/now'),
  component: lazyRouteComponent(() => import('./pages/now/now-page.tsx'), 'NowPage'),
});
const queue = createRoute({
  ...on('/queue'),
  component: lazyRouteComponent(() => import('./pages/queue/queue-page.tsx'), 'QueuePage'),
});
const messages = createRoute({
  ...on('/messages'),
  component: lazyRouteComponent(() => import('./pages/messages/messages-page.tsx'), 'MessagesPage'),
});
const message = createRoute({
  ...on('/messages/$id'),
  component: lazyRouteComponent(() => import('./pages/messages/message-page.tsx'), 'MessagePage'),
});
const conversations = createRoute({
  ...on('/conversations'),
  component: lazyRouteComponent(() => import('./pages/conversations/conversation-page.tsx'), 'ConversationPage'),
});
const numbers = createRoute({
  ...on('/numbers'),
  component: lazyRouteComponent(() => import('./pages/numbers/numbers-page.tsx'), 'NumbersPage'),
});
const templates = createRoute({
  ...on('/templates'),
  component: lazyRouteComponent(() => import('./pages/templates/templates-page.tsx'), 'TemplatesPage'),
});
const newTemplate = createRoute({
  ...on('/templates/new'),
  component: lazyRouteComponent(() => import('./pages/templates/new-template-page.tsx'), 'NewTemplatePage'),
});
const template = createRoute({
  ...on('/templates/$id'),
  component: lazyRouteComponent(() => import('./pages/templates/template-page.tsx'), 'TemplatePage'),
});
const webhooks = createRoute({
  ...on('/webhooks'),
  component: lazyRouteComponent(() => import('./pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});
const webhook = createRoute({
  ...on('/webhooks/$id'),
  component: lazyRouteComponent(() => import('./pages/webhooks/webhook-page.tsx'), 'WebhookPage'),
});
const events = createRoute({
  ...on('/events'),
  component: lazyRouteComponent(() => import('./pages/events/events-page.tsx'), 'EventsPage'),
});
const organizations = createRoute({
  ...on('/organizations'),
  component: lazyRouteComponent(() => import('./pages/organizations/organizations-page.tsx'), 'OrganizationsPage'),
});
const organization = createRoute({
  ...on('/organizations/$id'),
  component: lazyRouteComponent(() => import('./pages/organizations/organization-page.tsx'), 'OrganizationPage'),
});
const optOuts = createRoute({
  ...on('/opt-outs'),
  component: lazyRouteComponent(() => import('./pages/opt-outs/opt-outs-page.tsx'), 'OptOutsPage'),
});
const people = createRoute({
  ...on('/people'),
  component: lazyRouteComponent(() => import('./pages/people/people-page.tsx'), 'PeoplePage'),
});
const usage = createRoute({
  ...on('/usage'),
  component: lazyRouteComponent(() => import('./pages/organizations/usage-page.tsx'), 'UsagePage'),
});
const operators = createRoute({
  ...on('/operators'),
  component: lazyRouteComponent(() => import('./pages/operators/operators-page.tsx'), 'OperatorsPage'),
});
const apps = createRoute({
  ...on('/apps'),
  component: lazyRouteComponent(() => import('./pages/apps/apps-page.tsx'), 'AppsPage'),
});
const audit = createRoute({
  ...on('/audit'),
  component: lazyRouteComponent(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
});
const journal = createRoute({
  ...on('/journal'),
  component: lazyRouteComponent(() => import('./pages/journal/journal-page.tsx'), 'JournalPage'),
});
const playground = createRoute({
  ...on('/playground'),
  component: lazyRouteComponent(() => import('./pages/playground/playground-page.tsx'), 'PlaygroundPage'),
});

const routeTree = rootRoute.addChildren([
  home,
  now,
  queue,
  messages,
  message,
  conversations,
  numbers,
  templates,
  newTemplate,
  template,
  webhooks,
  webhook,
  events,
  organizations,
  organization,
  optOuts,
  people,
  usage,
  operators,
  apps,
  audit,
  journal,
  playground,
]);

/** The routes of the console. Their query holds plain texts, so that links read well. */
export const router = createRouter({
  routeTree,
  basepath: CONSOLE_PATH,
  defaultPreload: 'intent',
  defaultPendingComponent: LoadingPage,
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch(search) {
    const pairs = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs as [string, string][])}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
