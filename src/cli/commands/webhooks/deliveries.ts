import { type Command, Option } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderTable } from '../../terminal/table.ts';
import { ago, ahead } from '../../terminal/times.ts';
import { readCount, readMoment } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { type Delivery, resultOf, webhookPath, webhookStyle } from './webhook.ts';

interface DeliveriesOptions {
  status?: string;
  type?: string;
  since?: string;
  until?: string;
  limit: number;
}

const PAGE_MAX = 100;

export function registerWebhooksDeliveries(webhooks: Command): void {
  addCommand(webhooks, 'deliveries <webhook-id>', 'list the deliveries to an endpoint: waiting ones, then the newest', [
    'fairway webhooks deliveries 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --status failed --since 24h',
    'fairway webhooks deliveries 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --type message.failed --json',
  ])
    .addOption(new Option('--status <status>', 'status of the delivery').choices(['pending', 'delivered', 'failed']))
    .option('--type <types>', 'only events of these types, separated by commas')
    .option('--since <time>', 'events recorded then or later: ISO 8601, or a time ago such as 2h', readMoment)
    .option('--until <time>', 'events recorded before', readMoment)
    .option('--limit <count>', 'highest number of deliveries', readCount, 20)
    .action(act(listDeliveries));
}

async function listDeliveries(cli: Cli, id: string, options: DeliveriesOptions): Promise<void> {
  const { status, type, since: from, until: to, limit } = options;
  const api = await cli.tenant();
  const query = { status, type, from, to, limit: Math.min(limit, PAGE_MAX) };
  const rows: Delivery[] = [];
  for await (const delivery of api.list<Delivery>(`${webhookPath(id)}/deliveries`, query))
    if (rows.push(delivery) >= limit) break;
  await cli.out.result({ data: rows }, () => (rows.length === 0 ? 'No deliveries.' : renderDeliveries(rows)));
}

function renderDeliveries(rows: readonly Delivery[]): Promise<string> {
  const last = ({ attempts }: Delivery) => attempts.at(-1);
  return renderTable(
    [
      { title: 'EVENT', text: (row) => row.event_id },
      { title: 'TYPE', text: (row) => row.event_type, wraps: true },
      { title: 'STATUS', text: ({ status }) => status, style: ({ status }) => webhookStyle(status) },
      { title: 'TRIES', text: ({ attempts }) => attempts.length },
      { title: 'ANSWER', text: (row) => mapped(last(row), resultOf), wraps: true },
      { title: 'TOOK', text: (row) => mapped(last(row), ({ latency_ms }) => `${latency_ms} ms`) },
      { title: 'RECORDED', text: (row) => ago(row.recorded_at) },
      { title: 'NEXT TRY', text: (row) => ahead(row.next_attempt_at) },
    ],
    rows,
  );
}

function mapped<Value>(value: Value | undefined, render: (value: Value) => string): string | null {
  return value === undefined ? null : render(value);
}
