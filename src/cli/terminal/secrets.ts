import { createInterface } from 'node:readline/promises';
import type { Cli } from '../cli.ts';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { askSecret } from './prompts.ts';

/** A secret that a command needs. */
export interface WantedSecret {
  /** Words for the question and for errors, such as `verify token`. */
  name: string;
  /** The secret from the environment. */
  given: string | undefined;
}

/**
 * Returns secrets in the order in which they are wanted. The ones that the environment lacks are asked for, or are the first lines of
 * standard input if that is no terminal.
 */
export async function readSecrets(cli: Cli, wanted: readonly WantedSecret[]): Promise<string[]> {
  const missing = wanted.filter(({ given }) => given === undefined).map(({ name }) => name);
  const answers = await (process.stdin.isTTY ? askAll(missing) : readLines(cli, missing));
  return wanted.map(({ name, given }) => {
    const secret = given ?? answers.shift() ?? '';
    if (!/^[\x21-\x7e]+$/.test(secret))
      throw new CliError(EXIT.usage, `The ${name} is missing, or has other than printable ASCII characters.`);
    return secret;
  });
}

async function askAll(names: readonly string[]): Promise<string[]> {
  const answers: string[] = [];
  for (const name of names) answers.push(await askSecret(`${name.charAt(0).toUpperCase()}${name.slice(1)}:`));
  return answers;
}

async function readLines(cli: Cli, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  cli.out.note(`Reading from standard input, a line each: ${names.join(', ')}.`);
  const input = createInterface({ input: process.stdin, signal: cli.signal });
  const lines: string[] = [];
  try {
    for await (const line of input) if (lines.push(line.trim()) === names.length) break;
    return lines;
  } finally {
    input.close();
    process.stdin.destroy();
  }
}
