import type { Command } from 'commander';
import { isUserId } from '../../../core/ids.ts';
import type { Cli } from '../../cli.ts';
import { renderTable } from '../../terminal/table.ts';
import { ago } from '../../terminal/times.ts';
import { readCount } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { type Message, personOf, statusStyle } from './message.ts';

interface ListOptions {
  limit: number;
  status?: string;
  to?: string;
  template?: string;
}

const PAGE_MAX = 200;

export function registerMessagesList(messages: Command): void {
  addCommand(messages, 'list', 'list messages, newest first', [
    'fairway messages list --status failed',
    'fairway messages list --to +12025550123 --limit 5 --json',
  ])
    .option('--limit <count>', 'highest number of messages', readCount, 20)
    .option('--status <status>', 'queued, sent, delivered, read, failed or received')
    .option('--to <person>', 'messages to or from this person: a phone number or a user id')
    .option('--template <name>', 'messages of this template')
    .action(act(listMessages));
}

async function listMessages(cli: Cli, options: ListOptions): Promise<void> {
  const { limit, status, to, template } = options;
  const api = await cli.tenant();
  const rows: Message[] = [];
  const person = to !== undefined && isUserId(to) ? { user_id: to } : { recipient: to };
  const filter = { status, ...person, template, limit: Math.min(limit, PAGE_MAX) };
  for await (const message of api.list<Message>('/v1/messages', filter)) {
    if (rows.push(message) >= limit) break;
  }
  await cli.out.result({ data: rows }, () => {
    if (rows.length === 0) return 'No messages.';
    return renderTable(
      [
        { title: 'ID', text: ({ id }) => id },
        { title: 'STATUS', text: (row) => row.status, style: (row) => statusStyle(row.status) },
        { title: 'PERSON', text: personOf },
        { title: 'TYPE', text: (row) => row.template_name ?? row.message_type, wraps: true },
        { title: 'CREATED', text: (row) => ago(row.created_at) },
        { title: 'ERROR', text: (row) => row.error_code, wraps: true },
      ],
      rows,
    );
  });
}
