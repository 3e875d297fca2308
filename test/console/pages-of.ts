import type { ConsoleWorld } from './console-world.ts';

/** Paths below `/console` by the names of their pictures. */
export function pagesOf({
  tenant,
  other,
  person,
  readId,
  failedId,
  markupId,
  waitingId,
  brokenEndpointId,
}: ConsoleWorld) {
  const org = `org=${tenant.organizationId}`;
  return {
    now: '/now',
    queue: '/queue',
    messages: `/messages?${org}`,
    'messages-empty': `/messages?${org}&error_code=NOTHING`,
    'message-read': `/messages/${readId}?${org}`,
    'message-failed': `/messages/${failedId}?${org}`,
    'message-markup': `/messages/${markupId}?${org}`,
    'message-waiting': `/messages/${waitingId}?org=${other.organizationId}`,
    conversation: `/conversations?${org}&person=${encodeURIComponent(person)}`,
    numbers: `/numbers?${org}`,
    templates: `/templates?${org}`,
    'template-new': `/templates/new?${org}`,
    webhooks: `/webhooks?${org}`,
    webhook: `/webhooks/${brokenEndpointId}?${org}`,
    events: `/events?${org}`,
    organizations: '/organizations',
    organization: `/organizations/${tenant.organizationId}`,
    onboarding: `/organizations/${tenant.organizationId}?tab=onboarding`,
    keys: `/organizations/${tenant.organizationId}?tab=keys`,
    plan: `/organizations/${tenant.organizationId}?tab=plan`,
    usage: `/organizations/${tenant.organizationId}?tab=usage`,
    rates: `/organizations/${tenant.organizationId}?tab=rates`,
    operators: '/operators',
    apps: '/apps',
    audit: `/audit?${org}`,
    'opt-outs': `/opt-outs?${org}`,
    people: `/people?${org}&person=${encodeURIComponent(person)}`,
    journal: '/journal',
    playground: `/playground?${org}&person=${encodeURIComponent(person)}`,
    'choose-organization': '/messages',
    missing: '/no-such-page',
  };
}
