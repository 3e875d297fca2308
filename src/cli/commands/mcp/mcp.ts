import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { readVersion } from '../../version.ts';
import { act, addCommand } from '../command.ts';

interface McpCommandOptions {
  allowSend?: boolean;
  mask?: boolean;
}

export function registerMcp(program: Command): void {
  addCommand(program, 'mcp', 'serve the Model Context Protocol on standard input and output, for assistants', [
    'fairway mcp --profile support --mask',
    'fairway mcp --allow-send',
  ])
    .option('--allow-send', 'let the assistant send templates; without it, sends are dry runs')
    .option('--mask', 'show the last four digits of phone numbers only')
    .action(act(runMcp));
}

async function runMcp(cli: Cli, { allowSend = false, mask = false }: McpCommandOptions): Promise<void> {
  const [api, { url }] = [await cli.tenant(), await cli.connection()];
  // Loaded here, because no other command needs the protocol's library.
  const [{ serveMcp }, { gatewayOf }] = await Promise.all([import('../../../mcp/index.ts'), import('./gateway.ts')]);
  await serveMcp(gatewayOf(api, url), { version: readVersion(), allowSend, mask });
}
