import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { styled } from '../../terminal/output.ts';
import { renderFields } from '../../terminal/table.ts';
import { span } from '../../terminal/times.ts';
import { act, addCommand } from '../command.ts';

interface Queue {
  numbers: { queued: number; oldest_wait_seconds: number }[];
}

export function registerStatus(program: Command): void {
  addCommand(program, 'status', 'show if the gateway is ready, and its waiting messages', [
    'fairway status',
    'fairway status --profile staging --json',
  ]).action(act(showStatus));
}

async function showStatus(cli: Cli): Promise<void> {
  const { url, source, adminToken, apiKey } = await cli.connection();
  const open = await cli.anyone();
  await open.get('/healthz');
  const ready = await open.get('/readyz').then(
    () => true,
    (error: unknown) => {
      if (error instanceof CliError && error.exitCode === EXIT.unavailable) return false;
      throw error;
    },
  );
  const queue = adminToken === undefined ? undefined : await (await cli.operator()).get<Queue>('/admin/v1/queue');
  if (apiKey !== undefined) await (await cli.tenant()).get('/v1/messages', { limit: 1 });
  const waiting = queue?.numbers.reduce((sum, { queued }) => sum + queued, 0);
  const oldest = queue?.numbers.reduce((max, number) => Math.max(max, number.oldest_wait_seconds), 0);
  const credentials = [apiKey && 'API key', adminToken && 'admin token'].filter(Boolean);
  const facts = { url, source, ready, credentials, waiting: waiting ?? null, oldest_wait_seconds: oldest ?? null };
  await cli.out.result(facts, () =>
    [
      ready ? styled('green', 'ready') : styled('red', 'not ready'),
      renderFields([
        ['gateway', `${url} (${source})`],
        ['credentials', credentials.join(', ') || 'none'],
        ['waiting', waiting],
        ['oldest', oldest === undefined ? undefined : waiting === 0 ? '-' : span(oldest)],
      ]),
    ].join('\n'),
  );
  if (!ready) throw new CliError(EXIT.unavailable, 'The gateway accepts no sends now.');
}
