import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { requireConfirmation } from '../../terminal/prompts.ts';
import { renderFields } from '../../terminal/table.ts';
import { readCount } from '../arguments.ts';
import { act, addCommand } from '../command.ts';

/** The receipt of an erasure. */
interface Erasure {
  id: string;
  status: 'waiting' | 'running' | 'done';
  messages: number;
  events: number;
  payloads: number;
}

const POLL_MS = 500;

interface EraseOptions {
  yes?: boolean;
  timeout: number;
}

export function registerPeopleErase(people: Command): void {
  addCommand(people, 'erase <person>', "erase a person's contents and identifiers for good", [
    'fairway people erase +12025550123 --yes',
  ])
    .option('--yes', 'erase without asking')
    .option('--timeout <seconds>', 'longest time to wait for the end of the erasure', readCount, 300)
    .action(act(erase));
}

async function erase(cli: Cli, person: string, { yes, timeout }: EraseOptions): Promise<void> {
  const api = await cli.tenant();
  await requireConfirmation(yes === true, `Erase ${person}? This cannot be undone.`, 'Nothing was erased.');
  const { id } = await api.request<{ id: string }>('DELETE', `/v1/people/${encodeURIComponent(person)}`);
  const deadline = performance.now() + timeout * 1000;
  for (;;) {
    const erasure = await api.get<Erasure>(`/v1/erasures/${id}`);
    if (erasure.status === 'done') {
      const { messages, events, payloads } = erasure;
      return await cli.out.result(erasure, () =>
        renderFields([
          ['receipt', id],
          ['messages erased', String(messages)],
          ['events deleted', String(events)],
          ['webhooks deleted', String(payloads)],
        ]),
      );
    }
    if (performance.now() > deadline) {
      throw new CliError(EXIT.unmet, `Erasure ${id} is not done after ${timeout} seconds; it goes on.`);
    }
    await delay(POLL_MS, undefined, { signal: cli.signal });
  }
}
