import type { Command } from 'commander';
import { followFeed } from '../../api/follow-feed.ts';
import { readNewestCursor } from '../../api/read-feed.ts';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { styled } from '../../terminal/output.ts';
import { clockTime } from '../../terminal/times.ts';
import { act, addCommand } from '../command.ts';
import type { FeedEvent } from '../messages/message.ts';
import { type Attempt, deliver } from './deliver.ts';
import { createSecret, readSecret } from './signature.ts';

interface ListenOptions {
  forwardTo: string;
  type?: string;
  number?: string;
  after?: string;
}

export function registerListen(program: Command): void {
  addCommand(program, 'listen', 'deliver events to a local URL as webhooks, until Ctrl-C', [
    'fairway listen --forward-to http://localhost:3000/webhooks',
    'fairway listen --forward-to http://localhost:3000/webhooks --type message.received,message.failed',
  ])
    .requiredOption('--forward-to <url>', 'URL that gets the events')
    .option('--type <types>', 'only events of these types, separated by commas')
    .option('--number <id>', 'only events of this number')
    .option('--after <cursor>', 'begin after this cursor instead of now')
    .action(act(listen));
}

async function listen(cli: Cli, options: ListenOptions): Promise<void> {
  const { forwardTo, type, number } = options;
  if (!/^https?:$/.test(URL.parse(forwardTo)?.protocol ?? ''))
    throw new CliError(EXIT.usage, '--forward-to must be an http(s) URL.');
  const api = await cli.tenant();
  const secret = cli.env.webhookSecret ?? createSecret();
  const key = readSecret(secret);
  const filter = { type, number };
  const start = options.after ?? (await readNewestCursor(api, filter));
  if (cli.env.webhookSecret === undefined) cli.out.note(`Signing secret: ${secret}`);
  cli.out.note(`Delivering events to ${forwardTo}. Ctrl-C ends.`);
  const note = (text: string) => cli.out.note(text);
  for await (const { data } of followFeed<FeedEvent>(api, start, filter, cli.signal, note))
    for (const event of data)
      for await (const attempt of deliver(forwardTo, key, event, cli.signal)) report(cli, event, attempt);
}

function report(cli: Cli, event: FeedEvent, attempt: Attempt): void {
  const { status, error, elapsedMs, isDelivered, isLast } = attempt;
  const facts = { id: event.id, type: event.type, status: status ?? null, ms: Math.round(elapsedMs) };
  cli.out.item({ ...facts, ...(error !== undefined && { error }), delivered: isDelivered, last: isLast }, () =>
    [
      styled('dim', clockTime(new Date().toISOString())),
      styled(isDelivered ? 'green' : 'red', (status?.toString() ?? error ?? '-').padEnd(3)),
      styled('dim', `${Math.round(elapsedMs)} ms`.padStart(8)),
      styled('reset', event.type.padEnd(18)),
      styled('dim', event.id),
      ...(isDelivered ? [] : [styled('yellow', isLast ? 'given up' : 'again soon')]),
    ].join('  '),
  );
}
