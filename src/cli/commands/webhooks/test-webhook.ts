import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Api } from '../../api/api.ts';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { styled } from '../../terminal/output.ts';
import { renderFields } from '../../terminal/table.ts';
import { readCount } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { type Delivery, resultOf, webhookPath, webhookStyle } from './webhook.ts';

const POLL_MS = 500;

export function registerWebhooksTest(webhooks: Command): void {
  addCommand(webhooks, 'test <webhook-id>', 'deliver a test event to an endpoint, and show its answer', [
    'fairway webhooks test 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
  ])
    .option('--timeout <seconds>', 'longest wait for the first attempt', readCount, 30)
    .action(act(testWebhook));
}

async function testWebhook(cli: Cli, id: string, { timeout }: { timeout: number }): Promise<void> {
  const api = await cli.tenant();
  const path = webhookPath(id);
  const { event_id: eventId } = await api.post<{ event_id: string }>(`${path}/test`);
  const delivery = await untilTried(api, path, eventId, timeout, cli.signal);
  const attempt = delivery?.attempts.at(-1);
  if (delivery === undefined || attempt === undefined)
    throw new CliError(EXIT.unmet, `The test event ${eventId} was not tried within ${timeout} seconds.`, {
      hint: `fairway webhooks deliveries ${id}`,
    });
  await cli.out.result(delivery, () => {
    const fields = renderFields([
      ['event', delivery.event_id],
      ['answer', resultOf(attempt)],
      ['took', `${attempt.latency_ms} ms`],
      ['body', attempt.answer || undefined],
    ]);
    return `${fields}\n${styled(webhookStyle(delivery.status), delivery.status)}`;
  });
  if (delivery.status !== 'delivered')
    throw new CliError(EXIT.unmet, `The endpoint did not take the event: ${attempt.failure ?? resultOf(attempt)}.`, {
      hint: 'It is tried again, as all events are.',
    });
}

/** Waits for the first attempt to deliver an event, at most `seconds`. */
async function untilTried(
  api: Api,
  path: string,
  eventId: string,
  seconds: number,
  signal: AbortSignal,
): Promise<Delivery | undefined> {
  const endMs = performance.now() + seconds * 1000;
  while (performance.now() < endMs) {
    const delivery = await findDelivery(api, path, eventId);
    if (delivery !== undefined && delivery.attempts.length > 0) return delivery;
    await delay(POLL_MS, undefined, { signal });
  }
  return undefined;
}

async function findDelivery(api: Api, path: string, eventId: string): Promise<Delivery | undefined> {
  for await (const delivery of api.list<Delivery>(`${path}/deliveries`, { type: 'webhook.test', limit: 20 }))
    if (delivery.event_id === eventId) return delivery;
  return undefined;
}
