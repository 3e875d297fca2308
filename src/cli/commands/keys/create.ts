import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { readCount, readWords } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { createKey, renderNewKey } from './key.ts';

interface CreateOptions {
  name?: string;
  scopes?: string[];
  numbers?: string[];
  sourceRanges?: string[];
  expires?: string;
  messagesPerMinute?: number;
}

export function registerKeysCreate(keys: Command): void {
  addCommand(keys, 'create <tenant>', 'issue an API key, shown this once', [
    "fairway keys create 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --name 'shop backend'",
    'fairway keys create 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --scopes messages:send,media --expires 2027-08-01T00:00:00Z',
    'fairway keys create 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --json | jq -r .key',
  ])
    .option('--name <name>', 'purpose of the key')
    .option('--scopes <scopes>', 'what the key may do, such as messages:send; default: everything', readWords)
    .option('--numbers <ids>', 'only these sending numbers, by their ids; default: all', readWords)
    .option('--source-ranges <ranges>', 'only from these addresses, such as 203.0.113.0/24; default: all', readWords)
    .option('--expires <time>', 'time from which the key is refused, ISO 8601')
    .option('--messages-per-minute <count>', 'highest number of messages that the key may send in a minute', readCount)
    .action(act(issueKey));
}

async function issueKey(cli: Cli, tenantId: string, options: CreateOptions): Promise<void> {
  const key = await createKey(await cli.operator(), tenantId, {
    name: options.name,
    scopes: options.scopes,
    phone_number_ids: options.numbers,
    source_ranges: options.sourceRanges,
    expires_at: options.expires,
    messages_per_minute: options.messagesPerMinute,
  });
  await cli.out.result(key, () => renderNewKey(key));
}
