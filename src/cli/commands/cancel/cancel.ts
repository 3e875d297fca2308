import type { Command } from 'commander';
import type { Api } from '../../api/api.ts';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { startProgress } from '../../terminal/progress.ts';
import { requireConfirmation } from '../../terminal/prompts.ts';
import { readMoment } from '../arguments.ts';
import { act, addCommand } from '../command.ts';

interface CancelOptions {
  number?: string;
  to?: string;
  userId?: string;
  type?: string;
  template?: string;
  callbackData?: string;
  since?: string;
  until?: string;
  dryRun?: boolean;
  yes?: boolean;
}

/** Members of the list and of the cancellation with the same meaning. */
type Filter = Record<string, string>;

interface Cancelled {
  cancelled: number;
  next: object | null;
}

const PAGE_MAX = 200;
/** Highest number that is counted before the question: each page is a request. */
const COUNTED_MAX = 20_000;

export function registerCancel(program: Command): void {
  addCommand(program, 'cancel', 'cancel the waiting messages that match all filters', [
    'fairway cancel --template spring_sale --dry-run',
    'fairway cancel --template spring_sale --since 2h',
    'fairway cancel --to +12025550123 --yes --json',
  ])
    .option('--number <id>', 'messages from this number')
    .option('--to <phone>', 'messages to this person')
    .option('--user-id <id>', 'messages to the person with this user id')
    .option('--type <type>', 'text, template, image …')
    .option('--template <name>', 'messages of this template')
    .option('--callback-data <text>', 'messages sent with exactly this biz_opaque_callback_data')
    .option('--since <time>', 'accepted then or later: ISO 8601, or a time ago such as 2h', readMoment)
    .option('--until <time>', 'accepted before', readMoment)
    .option('--dry-run', 'only count')
    .option('--yes', 'cancel without asking')
    .action(act(cancel));
}

async function cancel(cli: Cli, options: CancelOptions): Promise<void> {
  const filter = readFilter(options);
  if (Object.keys(filter).length === 0)
    throw new CliError(EXIT.usage, 'Name at least one filter, such as --template.', {
      hint: 'fairway cancel --help lists them.',
    });
  const api = await cli.tenant();
  const { count, isAll } = await countWaiting(api, filter);
  const amount = `${isAll ? '' : 'at least '}${count} waiting ${count === 1 ? 'message' : 'messages'}`;
  if (options.dryRun === true || count === 0)
    return cli.out.result({ waiting: count, counted_all: isAll, cancelled: 0 }, () => `${amount}, none cancelled.`);
  await requireConfirmation(options.yes === true, `Cancel ${amount}?`, 'Nothing was cancelled.');
  const cancelled = await cancelAll(api, filter, isAll ? count : undefined);
  await cli.out.result({ waiting: count, counted_all: isAll, cancelled }, () => `Cancelled ${cancelled}.`);
}

function readFilter(options: CancelOptions): Filter {
  const members: [string, string | undefined][] = [
    ['number', options.number],
    ['recipient', options.to],
    ['user_id', options.userId],
    ['type', options.type],
    ['template', options.template],
    ['biz_opaque_callback_data', options.callbackData],
    ['from', options.since],
    ['to', options.until],
  ];
  return Object.fromEntries(members.filter((member): member is [string, string] => member[1] !== undefined));
}

/** Counts the matching messages, at most COUNTED_MAX. */
async function countWaiting(api: Api, filter: Filter): Promise<{ count: number; isAll: boolean }> {
  let count = 0;
  for await (const _ of api.list('/v1/messages', { ...filter, status: 'queued', limit: PAGE_MAX })) {
    count += 1;
    if (count === COUNTED_MAX) return { count, isAll: false };
  }
  return { count, isAll: true };
}

/** Cancels in as many calls as are needed. Returns the number of cancelled messages. */
async function cancelAll(api: Api, filter: Filter, total: number | undefined): Promise<number> {
  const progress = await startProgress('Cancelled', total);
  let cancelled = 0;
  try {
    for (let body: object | null = filter; body !== null; ) {
      const answer: Cancelled = await api.post<Cancelled>('/v1/messages/cancel', body);
      cancelled += answer.cancelled;
      progress.show(cancelled);
      body = answer.next;
    }
  } finally {
    progress.stop();
  }
  return cancelled;
}
