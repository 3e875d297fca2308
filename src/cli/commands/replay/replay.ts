import type { Command } from 'commander';
import type { Api } from '../../api/api.ts';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { startProgress } from '../../terminal/progress.ts';
import { readMoment } from '../arguments.ts';
import { act, addCommand } from '../command.ts';

interface ReplayOptions {
  event?: string;
  since?: string;
  until?: string;
  failedSince?: string;
}

interface Replayed {
  queued: number;
  next: object | null;
}

/**
 * Registers the command under `parent`, for operators and among the webhooks.
 * @param words words of the command, for its examples
 */
export function registerReplay(parent: Command, words: string): void {
  addCommand(parent, 'replay <webhook-id>', 'deliver past events to a webhook endpoint again', [
    `fairway ${words} 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --failed-since 24h`,
    `fairway ${words} 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --since 2026-11-02T10:00:00Z --until 2026-11-02T11:00:00Z`,
  ])
    .option('--failed-since <time>', 'deliveries that failed for good since: ISO 8601, or a time ago', readMoment)
    .option('--since <time>', 'events recorded then or later', readMoment)
    .option('--until <time>', 'events recorded before; with --since', readMoment)
    .option('--event <id>', 'this event')
    .action(act(replay));
}

async function replay(cli: Cli, id: string, options: ReplayOptions): Promise<void> {
  const body = replayBody(options);
  const queued = await replayAll(await cli.tenant(), `/v1/webhooks/${encodeURIComponent(id)}/replay`, body);
  await cli.out.result({ queued }, () => `Queued ${queued} ${queued === 1 ? 'delivery' : 'deliveries'}.`);
}

function replayBody({ event, since, until, failedSince }: ReplayOptions): object {
  const kinds = [event, since, failedSince].filter((value) => value !== undefined);
  if (kinds.length !== 1 || (until !== undefined && since === undefined))
    throw new CliError(EXIT.usage, 'Name one of --event, --failed-since, or --since with or without --until.');
  if (event !== undefined) return { event_id: event };
  return failedSince === undefined ? { from: since, to: until } : { failed_since: failedSince };
}

/** Replays in as many calls as are needed. Returns the number of queued deliveries. */
async function replayAll(api: Api, path: string, first: object): Promise<number> {
  const progress = await startProgress('Queued', undefined);
  let queued = 0;
  try {
    for (let body: object | null = first; body !== null; ) {
      const answer: Replayed = await api.post<Replayed>(path, body);
      queued += answer.queued;
      progress.show(queued);
      body = answer.next;
    }
  } finally {
    progress.stop();
  }
  return queued;
}
