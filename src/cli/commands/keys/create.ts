import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { readCount } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { createKey, renderNewKey } from './key.ts';

interface CreateOptions {
  name?: string;
  messagesPerMinute?: number;
}

export function registerKeysCreate(keys: Command): void {
  addCommand(keys, 'create <tenant>', 'issue an API key, shown this once', [
    "fairway keys create 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --name 'shop backend'",
    'fairway keys create 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --json | jq -r .key',
  ])
    .option('--name <name>', 'purpose of the key')
    .option('--messages-per-minute <count>', 'highest number of messages that the key may send in a minute', readCount)
    .action(act(issueKey));
}

async function issueKey(cli: Cli, tenantId: string, { name, messagesPerMinute }: CreateOptions): Promise<void> {
  const body = { name, messages_per_minute: messagesPerMinute };
  const key = await createKey(await cli.operator(), tenantId, body);
  await cli.out.result(key, () => renderNewKey(key));
}
