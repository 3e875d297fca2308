import type { Command } from 'commander';
import type { Api } from '../../api/api.ts';
import { readFeed } from '../../api/read-feed.ts';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { styled } from '../../terminal/output.ts';
import { readCount } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { type FeedEvent, type Message, statusStyle } from '../messages/message.ts';
import { resolveMedium } from './medium.ts';
import { messageBody, type SendOptions } from './message-body.ts';

export function registerSend(program: Command): void {
  addCommand(program, 'send [text]', 'send a text, a template or a medium', [
    "fairway send --to +12025550123 'Hello from Fairway' --wait",
    'fairway send --to +12025550123 --template order_update --param A-1042',
    'fairway send --to +12025550123 --media invoice.pdf --caption "Your invoice"',
  ])
    .requiredOption('--to <phone>', "the person's number with country code")
    .option('--from <id>', 'ID of the sending number (default: of the profile, or FAIRWAY_PHONE_NUMBER_ID)')
    .option('--template <name>', 'template to send')
    .option('--language <code>', 'language of the template', 'en_US')
    .option(
      '--param <value>',
      'value for the body of the template, as `name=value` if it is named; repeatable',
      collect,
      [],
    )
    .option('--media <file or url>', 'file to upload and send, or URL of a medium')
    .option('--caption <text>', 'caption of the medium')
    .option('--idempotency-key <key>', 'a repeated run with the same key sends nothing twice')
    .option('--wait', 'wait until the message is delivered; exit code 7 if it fails')
    .option('--timeout <seconds>', 'longest wait', readCount, 60)
    .action(act(send));
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

async function send(cli: Cli, text: string | undefined, options: SendOptions): Promise<void> {
  const phoneNumberId = options.from ?? (await cli.connection()).phoneNumberId;
  if (phoneNumberId === undefined)
    throw new CliError(EXIT.usage, 'The sending number is missing.', {
      hint: 'Pass --from with its ID, or set FAIRWAY_PHONE_NUMBER_ID.',
    });
  const api = await cli.tenant();
  const medium = options.media === undefined ? undefined : await resolveMedium(api, phoneNumberId, options.media);
  const body = messageBody(text, options, medium);
  // Without a key, a send whose answer is lost could not be repeated.
  const idempotencyKey = options.idempotencyKey ?? `cli-${crypto.randomUUID()}`;
  const path = `/v1/${encodeURIComponent(phoneNumberId)}/messages`;
  const post = async () => {
    const answer = await api.post<SendAnswer>(path, body, { idempotencyKey });
    const [sent] = answer.messages;
    if (sent === undefined) throw new CliError(EXIT.failed, 'The answer names no message.');
    return { answer, sent };
  };
  if (options.wait !== true) {
    const { answer, sent } = await post();
    return cli.out.result(answer, () => `${styled('bold', sent.id)} ${sent.message_status}`);
  }
  const waiting = new AbortController();
  try {
    const feed = await readFeed<FeedEvent>(await cli.tenant(waiting.signal));
    const { sent } = await post();
    await report(cli, await untilDelivered(api, feed, sent.id, options.timeout));
  } finally {
    waiting.abort();
  }
}

interface SendAnswer {
  messages: { id: string; message_status: string }[];
}

/** Waits until the message is delivered, read or failed, at most `seconds`. Returns it as it is then. */
async function untilDelivered(
  api: Api,
  feed: AsyncGenerator<FeedEvent>,
  id: string,
  seconds: number,
): Promise<Message> {
  const timedOut = new Promise<undefined>((end) => setTimeout(end, seconds * 1000, undefined).unref());
  for (;;) {
    // An idempotent repetition may name a message that has ended before.
    const message = await api.get<Message>(`/v1/messages/${id}`);
    if (['delivered', 'read', 'failed'].includes(message.status)) return message;
    const next = nextOf(feed, id);
    // The end of the wait ends the reading as well.
    next.catch(() => undefined);
    const change = await Promise.race([next, timedOut]);
    if (change === undefined) return message;
  }
}

async function nextOf(feed: AsyncGenerator<FeedEvent>, id: string): Promise<FeedEvent> {
  for (;;) {
    const { value } = await feed.next();
    if (value.data.id === id) return value;
  }
}

async function report(cli: Cli, message: Message): Promise<void> {
  await cli.out.result(
    message,
    () => `${styled('bold', message.id)} ${styled(statusStyle(message.status), message.status)}`,
  );
  if (message.status === 'failed')
    throw new CliError(EXIT.unmet, `The message failed: ${message.error_code} ${message.error_message ?? ''}`);
  if (message.status !== 'delivered' && message.status !== 'read')
    throw new CliError(EXIT.unmet, `The message is still ${message.status}.`);
}
