import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderTable } from '../../terminal/table.ts';
import { ago } from '../../terminal/times.ts';
import { act, addCommand } from '../command.ts';
import { statusOf, type Webhook, webhookStyle } from './webhook.ts';

const PAGE_MAX = 100;

export function registerWebhooksList(webhooks: Command): void {
  addCommand(webhooks, 'list', 'list the endpoints with their health, newest first', [
    'fairway webhooks list',
    'fairway webhooks list --json | jq -r \'.data[] | select(.status != "enabled") | .url\'',
  ]).action(act(listWebhooks));
}

async function listWebhooks(cli: Cli): Promise<void> {
  const rows = await Array.fromAsync((await cli.tenant()).list<Webhook>('/v1/webhooks', { limit: PAGE_MAX }));
  await cli.out.result({ data: rows }, () => {
    if (rows.length === 0) return 'No endpoints.';
    return renderTable(
      [
        { title: 'ID', text: ({ id }) => id },
        { title: 'URL', text: ({ url }) => url, wraps: true },
        { title: 'STATUS', text: statusOf, style: ({ status }) => webhookStyle(status) },
        { title: 'FAILING', text: (row) => ago(row.failing_since) },
        { title: 'EVENTS', text: ({ events }) => events?.join(', ') ?? 'all', wraps: true },
        { title: 'FORMAT', text: ({ format }) => format },
      ],
      rows,
    );
  });
}
