import { createInterface } from 'node:readline/promises';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { askSecret } from '../../terminal/prompts.ts';

/** Returns the token of a business account: from the environment, asked for, or the first line of standard input if that is no terminal. */
export async function readWabaToken(cli: Cli): Promise<string> {
  const token = cli.env.wabaToken ?? (await readToken(cli));
  if (!/^[\x21-\x7e]+$/.test(token)) throw new CliError(EXIT.usage, 'A token has printable ASCII characters only.');
  return token;
}

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
