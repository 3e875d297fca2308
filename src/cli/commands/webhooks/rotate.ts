import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { requireConfirmation } from '../../terminal/prompts.ts';
import { span } from '../../terminal/times.ts';
import { readSpan } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { renderSecret, type WebhookWithSecret, webhookPath } from './webhook.ts';

const OVERLAP_SECONDS = 86_400;

interface RotateOptions {
  overlap: number;
  yes?: boolean;
}

export function registerWebhooksRotate(webhooks: Command): void {
  addCommand(webhooks, 'rotate <webhook-id>', 'give an endpoint a new secret, shown this once', [
    'fairway webhooks rotate 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
    'fairway webhooks rotate 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --overlap 0s --yes --json',
  ])
    .option('--overlap <time>', 'time during which the old secret signs too, such as 2h', readSpan, OVERLAP_SECONDS)
    .option('--yes', 'rotate without asking')
    .action(act(rotateSecret));
}

async function rotateSecret(cli: Cli, id: string, { overlap, yes }: RotateOptions): Promise<void> {
  const end = overlap === 0 ? 'ends at once' : `signs too for ${span(overlap)}`;
  await requireConfirmation(
    yes === true,
    `Give ${id} a new secret? The present one ${end}; an older one ends now.`,
    'Nothing was rotated.',
  );
  const api = await cli.tenant();
  const webhook = await api.post<WebhookWithSecret>(`${webhookPath(id)}/rotate-secret`, { overlap_seconds: overlap });
  await cli.out.result(webhook, () => renderSecret(webhook));
}
