import { type Command, Option } from 'commander';
import { followFeed } from '../../api/follow-feed.ts';
import { readNewestCursor } from '../../api/read-feed.ts';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { styled } from '../../terminal/output.ts';
import { clockTime } from '../../terminal/times.ts';
import { act, addCommand } from '../command.ts';
import type { FeedEvent } from '../messages/message.ts';
import { bodiesOf } from './bodies.ts';
import { type Attempt, deliver } from './deliver.ts';
import { createSecret, type Format, signerOf } from './signature.ts';

interface ListenOptions {
  forwardTo: string;
  type?: string;
  number?: string;
  after?: string;
  format: Format;
  messageIds?: string;
  phoneNumbers?: string;
}

export function registerListen(program: Command): void {
  addCommand(program, 'listen', 'deliver events to a local URL as webhooks, until Ctrl-C', [
    'fairway listen --forward-to http://localhost:3000/webhooks',
    'fairway listen --forward-to http://localhost:3000/webhooks --type message.received,message.failed',
    'fairway listen --forward-to http://localhost:3000/webhooks --format cloud_api',
  ])
    .requiredOption('--forward-to <url>', 'URL that gets the events')
    .option('--type <types>', 'only events of these types, separated by commas')
    .option('--number <id>', 'only events of this number')
    .option('--after <cursor>', 'begin after this cursor instead of now')
    .addOption(
      new Option('--format <format>', 'format of the events').choices(['standard', 'cloud_api']).default('standard'),
    )
    .addOption(
      new Option('--message-ids <kind>', 'ids of messages in the format cloud_api').choices(['upstream', 'gateway']),
    )
    .addOption(
      new Option('--phone-numbers <kind>', 'notation of numbers in the format cloud_api').choices(['upstream', 'e164']),
    )
    .action(act(listen));
}

async function listen(cli: Cli, options: ListenOptions): Promise<void> {
  const { forwardTo, type, number, format } = options;
  if (!/^https?:$/.test(URL.parse(forwardTo)?.protocol ?? ''))
    throw new CliError(EXIT.usage, '--forward-to must be an http(s) URL.');
  const api = await cli.tenant();
  const secret = cli.env.webhookSecret ?? createSecret(format);
  const sign = signerOf(format, secret);
  const form = { format, message_ids: options.messageIds, phone_numbers: options.phoneNumbers };
  const filter = { type, number, ...form };
  const start = options.after ?? (await readNewestCursor(api, filter));
  if (cli.env.webhookSecret === undefined) cli.out.note(`Signing secret: ${secret}`);
  cli.out.note(`Delivering events to ${forwardTo}. Ctrl-C ends.`);
  const note = (text: string) => cli.out.note(text);
  for await (const { data, text } of followFeed<FeedEvent>(api, start, filter, cli.signal, note)) {
    const bodies = bodiesOf(text, data.length, format);
    for (const [place, event] of data.entries()) {
      const delivery = { id: event.id, body: bodies[place] ?? '' };
      for await (const attempt of deliver(forwardTo, sign, delivery, cli.signal)) report(cli, event, attempt);
    }
  }
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
