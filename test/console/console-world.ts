import { appBody } from '../api/apps/further-app.ts';
import { createWebhook } from '../api/webhooks/webhook-endpoint.ts';
import type { Gateway } from '../harness/gateway.ts';
import { createOperator } from '../harness/operator.ts';
import {
  admin,
  call,
  createTenant,
  DEFAULT_TEMPLATES,
  freshRecipient,
  issueKey,
  pause,
  type Served,
  send,
  sendNow,
  sendTemplate,
  type Tenant,
  templateTo,
  textTo,
  until,
  untilStatus,
} from '../harness/tenant.ts';
import { REFUSED } from './console-gateway.ts';

/** Markup that must appear as text wherever a body is shown. */
export const MARKUP = '<img src=x onerror="document.title=1"> *bold* <b>plain</b>';

/** A person whose message fails for a reason of the platform: 131026. */
const UNREACHABLE = '+15550102026';

const OFFER = {
  name: 'spring_offer',
  language: 'en_US',
  category: 'MARKETING' as const,
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Spring is here' },
    {
      type: 'BODY',
      text: 'Hello {{1}}, your code *{{2}}* takes 20 % off until Sunday.',
      example: { body_text: [['Ada', 'SPRING20']] },
    },
    { type: 'FOOTER', text: 'Reply STOP to end these messages' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Show the offer' },
        { type: 'QUICK_REPLY', text: 'Not now' },
      ],
    },
  ],
};

/** Two tenants with messages of all kinds, an endpoint that works and one that fails. */
export interface ConsoleWorld {
  tenant: Tenant;
  /** A tenant whose number is paused, with messages that wait. */
  other: Tenant;
  person: string;
  readId: string;
  failedId: string;
  markupId: string;
  /** A message of `other` that waits. */
  waitingId: string;
  brokenEndpointId: string;
}

/**
 * Fills a gateway for the pages.
 * @param receiverUrl address of an endpoint that takes deliveries
 */
export async function fillConsole(gateway: Gateway, receiverUrl: string): Promise<ConsoleWorld> {
  const tenant = await createTenant(gateway, { templates: [...DEFAULT_TEMPLATES, OFFER] });
  const other = await createTenant(gateway);
  await rename(gateway, tenant, 'Harbour Books');
  await rename(gateway, other, 'Northwind Bikes');
  await createWebhook(gateway, tenant, { url: receiverUrl, description: 'The shop' });
  const broken = await createWebhook(gateway, tenant, { url: `${receiverUrl}${REFUSED}`, description: 'The old shop' });

  const person = freshRecipient();
  await gateway.simulator.world.inbound({
    phoneNumberId: tenant.phoneNumberId,
    from: person,
    text: 'Is my order on its way?',
  });
  await until('the window is open', async () => {
    const window = await call(gateway, tenant, 'GET', `/v1/${tenant.phoneNumberId}/windows/${person}`);
    return window.json.open === true ? true : undefined;
  });
  const offer = templateTo(person, OFFER.name, {
    components: [
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Grace' },
          { type: 'text', text: 'SPRING20' },
        ],
      },
    ],
  });
  const readId = await accepted(gateway, tenant, offer);
  const markupId = await accepted(gateway, tenant, textTo(person, MARKUP));
  const failedId = await accepted(gateway, tenant, textTo(UNREACHABLE, 'Your parcel is here.'));
  await untilStatus(gateway, tenant, readId, 'read');
  for (let count = 0; count < 12; count += 1) await sendNow(gateway, tenant);

  await pause(gateway, other);
  const waitingId = await sendTemplate(gateway, other, freshRecipient(), 'order_update', {
    template: templateTo('', 'order_update', { components: orderNumber('A-77') }).template,
  });
  for (let count = 0; count < 20; count += 1) await sendTemplate(gateway, other, freshRecipient());
  await issueKey(gateway, tenant, { scopes: ['messages:read'] });
  await call(gateway, tenant, 'POST', '/v1/opt-outs', {
    body: { phone_number_id: tenant.phoneNumberId, person: freshRecipient() },
  });
  await storeRates(gateway, tenant);
  await createOperator(gateway, 'support');
  await admin(gateway, 'POST', '/apps', {
    ...appBody(),
    name: 'Agency app',
    secrets: ['new-secret', 'present-secret'],
  });
  return { tenant, other, person, readId, failedId, markupId, waitingId, brokenEndpointId: broken.id };
}

function orderNumber(text: string) {
  return [{ type: 'body', parameters: [{ type: 'text', text }] }];
}

async function accepted(gateway: Served, tenant: Tenant, body: unknown): Promise<string> {
  const answer = await send(gateway, tenant, body);
  // A person outside of the window: the gateway refuses free text itself.
  if (answer.status !== 202) return sendTemplate(gateway, tenant, (body as { to: string }).to);
  return answer.json.messages[0].id;
}

async function storeRates(gateway: Served, { organizationId }: Tenant): Promise<void> {
  const rates = [
    { category: 'marketing', country: 'US', price: 0.025 },
    { category: 'marketing', price: 0.0604 },
    { category: 'utility', price: 0.004 },
  ];
  await call(gateway, { apiKey: gateway.adminToken }, 'PUT', `/admin/v1/organizations/${organizationId}/rates`, {
    body: { valid_from: '2026-01-01', rates },
  });
}

async function rename(gateway: Served, { organizationId }: Tenant, name: string): Promise<void> {
  await call(gateway, { apiKey: gateway.adminToken }, 'PATCH', `/admin/v1/organizations/${organizationId}`, {
    body: { name },
  });
}
