import { Type } from 'typebox';
import { CURSOR, limitOf, open, pageOf, strict } from './arguments.ts';
import { more } from './message-tools.ts';
import { defineTool, READS_FOREIGN, READS_OWN } from './tool.ts';

interface Page<Row> {
  data: Row[];
  next: string | null;
}

interface Delivery {
  attempts: Record<string, unknown>[];
}

const ATTEMPTS_MAX = 5;

const listWebhooks = defineTool({
  name: 'list_webhooks',
  title: 'List webhook endpoints',
  description:
    'Lists the webhook endpoints of the organization with their filters and health, newest first. Secrets are never shown.',
  input: strict({ limit: limitOf(50, 20), cursor: CURSOR }),
  output: pageOf(open({ id: Type.String(), url: Type.String(), status: Type.String() })),
  hints: READS_OWN,
  async run({ gateway }, { limit = 20, cursor }) {
    const page = await gateway.get<Page<unknown>>('/v1/webhooks', { limit, after: cursor });
    return { summary: `${page.data.length} endpoints.${more(page.next)}`, data: { ...page } };
  },
});

const listDeliveries = defineTool({
  name: 'list_webhook_deliveries',
  title: 'List webhook deliveries',
  description:
    'Lists the deliveries of events to one webhook endpoint: waiting ones first, then settled ones, each newest first, with the last ' +
    `${ATTEMPTS_MAX} attempts. A page may be empty although more follow: continue while \`next\` is not null.`,
  input: strict({
    webhook_id: Type.String({
      pattern: '^[0-9a-fA-F-]{36}$',
      description: 'Id of the endpoint, from `list_webhooks`.',
    }),
    status: Type.Optional(Type.Enum(['pending', 'delivered', 'failed'])),
    type: Type.Optional(
      Type.String({ pattern: '^[a-z_.,]{1,500}$', description: 'Types of event, separated by commas.' }),
    ),
    from: Type.Optional(
      Type.String({ format: 'date-time', description: 'Of events recorded in that second or later.' }),
    ),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Of events recorded before that second.' })),
    limit: limitOf(20, 10),
    cursor: CURSOR,
  }),
  output: pageOf(open({ event_id: Type.String(), event_type: Type.String(), status: Type.String() })),
  hints: READS_FOREIGN,
  async run({ gateway }, { webhook_id, cursor, limit = 10, ...filter }) {
    const query = { ...filter, limit, after: cursor };
    const page = await gateway.get<Page<Delivery>>(`/v1/webhooks/${webhook_id}/deliveries`, query);
    const data = page.data.map((delivery) => ({ ...delivery, attempts: delivery.attempts.slice(-ATTEMPTS_MAX) }));
    return { summary: `${data.length} deliveries.${more(page.next)}`, data: { data, next: page.next } };
  },
});

export const WEBHOOK_TOOLS = [listWebhooks, listDeliveries];
