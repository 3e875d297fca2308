import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';

/** Asks for a line of text. */
export async function askText(message: string, fallback?: string): Promise<string> {
  assertTerminal(message);
  const { default: input } = await import('@inquirer/input');
  return (await input({ message, ...(fallback !== undefined && { default: fallback }) }, STREAMS)).trim();
}

/** Asks for a secret without showing it. */
export async function askSecret(message: string): Promise<string> {
  assertTerminal(message);
  const { default: password } = await import('@inquirer/password');
  return (await password({ message, mask: '*' }, STREAMS)).trim();
}

/** Asks a yes-or-no question; no is the default. */
export async function askConfirmation(message: string): Promise<boolean> {
  assertTerminal(message);
  const { default: confirm } = await import('@inquirer/confirm');
  return await confirm({ message, default: false }, STREAMS);
}

/**
 * Continues only after a confirmation.
 * @param isConfirmed true with `--yes`, which asks nothing
 * @param refusal the message after a no
 * @throws CliError with the code of an unmet condition after a no, or of wrong usage without a terminal
 */
export async function requireConfirmation(isConfirmed: boolean, question: string, refusal: string): Promise<void> {
  if (isConfirmed || (await askConfirmation(question))) return;
  throw new CliError(EXIT.unmet, refusal);
}

/** Standard output is for results. */
const STREAMS = { output: process.stderr };

/** Throws unless a person can answer. */
function assertTerminal(message: string): void {
  if (!process.stdin.isTTY)
    throw new CliError(EXIT.usage, `A terminal is needed to ask: ${message}`, {
      hint: 'In scripts, set FAIRWAY_URL with FAIRWAY_API_KEY or FAIRWAY_ADMIN_TOKEN, and pass --yes to confirm.',
    });
}
