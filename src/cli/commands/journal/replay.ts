import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { readMoment } from '../arguments.ts';
import { act, addCommand } from '../command.ts';

export function registerJournalReplay(journal: Command): void {
  addCommand(journal, 'replay', "apply the platform's webhooks of a time range again", [
    'fairway journal replay --since 2h',
    'fairway journal replay --since 2026-11-02T10:00:00Z --until 2026-11-02T11:00:00Z',
  ])
    .requiredOption('--since <time>', 'received then or later: ISO 8601, or a time ago such as 2h', readMoment)
    .option('--until <time>', 'received before (default: now)', readMoment)
    .action(act(replayJournal));
}

async function replayJournal(cli: Cli, { since, until }: { since: string; until?: string }): Promise<void> {
  const range = { from: since, to: until ?? new Date().toISOString() };
  const api = await cli.operator();
  const answer = await api.post<{ payloads: number }>('/admin/v1/upstream-journal/replay', range);
  await cli.out.result({ ...range, ...answer }, () => `The gateway applies ${answer.payloads} webhooks again.`);
}
