import type { ExitCode } from './exit-codes.ts';

/** Error class for every expected failure of a command; it carries the exit code. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  /** Next step for the person, one line. */
  readonly hint: string | undefined;
  /** Members that `--json` adds to the error. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    exitCode: ExitCode,
    message: string,
    options: { hint?: string | undefined; facts?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.exitCode = exitCode;
    this.hint = options.hint;
    this.facts = options.facts ?? {};
  }
}
