import { type Command, Option } from 'commander';
import type { Cli } from '../../cli.ts';
import { readRate, readWords } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { renderSecret, type WebhookWithSecret } from './webhook.ts';

interface CreateOptions {
  events?: string[];
  number?: string[];
  waba?: string[];
  format?: string;
  signing?: string;
  messageIds?: string;
  phoneNumbers?: string;
  ordered?: boolean;
  rate?: number;
  description?: string;
}

export function registerWebhooksCreate(webhooks: Command): void {
  addCommand(webhooks, 'create <url>', 'register an endpoint; its secret is shown this once', [
    'fairway webhooks create https://hooks.example.com/fairway',
    'fairway webhooks create https://hooks.example.com/fairway --events message.failed,message.received --ordered',
    'fairway webhooks create https://hooks.example.com/fairway --json | jq -r .secret',
  ])
    .option('--events <types>', 'only events of these types, separated by commas', readWords)
    .option('--number <ids>', 'only events of these numbers', readWords)
    .option('--waba <ids>', 'only events of these business accounts', readWords)
    .addOption(new Option('--format <format>', 'format of the events').choices(['standard', 'cloud_api']))
    .addOption(new Option('--signing <kind>', 'kind of signature').choices(['hmac', 'ed25519']))
    .addOption(
      new Option('--message-ids <kind>', 'ids of messages in the format cloud_api').choices(['upstream', 'gateway']),
    )
    .addOption(
      new Option('--phone-numbers <kind>', 'notation of numbers in the format cloud_api').choices(['upstream', 'e164']),
    )
    .option('--ordered', 'one delivery at a time for each conversation')
    .option('--rate <rate>', 'highest number of deliveries a second', readRate)
    .option('--description <text>', 'remark for people')
    .action(act(createWebhook));
}

async function createWebhook(cli: Cli, url: string, options: CreateOptions): Promise<void> {
  const api = await cli.tenant();
  const webhook = await api.post<WebhookWithSecret>('/v1/webhooks', {
    url,
    description: options.description,
    events: options.events,
    phone_number_ids: options.number,
    waba_ids: options.waba,
    format: options.format,
    signing: options.signing,
    message_ids: options.messageIds,
    phone_numbers: options.phoneNumbers,
    ordered: options.ordered,
    rate_per_second: options.rate,
  });
  await cli.out.result(webhook, () => renderSecret(webhook));
}
