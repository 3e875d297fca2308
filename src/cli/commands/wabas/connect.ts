import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { askSecret } from '../../terminal/prompts.ts';
import { act, addCommand } from '../command.ts';
import { tenantPath } from '../tenants/tenant.ts';
import { type ReadWaba, renderReadWaba } from './waba.ts';

export function registerWabasConnect(wabas: Command): void {
  addCommand(wabas, 'connect <tenant> <waba-id>', 'connect a business account, or give it another token', [
    'fairway wabas connect 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 102290129340398',
    'fairway wabas connect 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 102290129340398 < token.txt',
  ]).action(act(connectWaba));
}

async function connectWaba(cli: Cli, tenantId: string, wabaId: string): Promise<void> {
  const api = await cli.operator();
  const token = cli.env.wabaToken ?? (await readToken(cli));
  if (!/^[\x21-\x7e]+$/.test(token)) throw new CliError(EXIT.usage, 'A token has printable ASCII characters only.');
  const body = { waba_id: wabaId, access_token: token };
  const waba = await api.post<ReadWaba>(`${tenantPath(tenantId)}/wabas`, body);
  await cli.out.result(waba, () => renderReadWaba(waba));
}

/** Asks for the token, or reads the first line of standard input if that is no terminal. */
async function readToken(cli: Cli): Promise<string> {
  if (process.stdin.isTTY) return askSecret('Access token of the business account:');
  cli.out.note('Reading the access token from standard input.');
  const input = createInterface({ input: process.stdin, signal: cli.signal });
  try {
    for await (const line of input) return line.trim();
    throw new CliError(EXIT.usage, 'Standard input has no access token.');
  } finally {
    input.close();
    process.stdin.destroy();
  }
}
