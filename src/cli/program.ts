import { Command, CommanderError } from 'commander';
import { CliError } from './cli-error.ts';
import { registerCommands } from './commands/index.ts';
import { EXIT, EXIT_MEANINGS, type ExitCode } from './exit-codes.ts';
import { safeJson, safeText } from './terminal/safe-text.ts';
import { readVersion } from './version.ts';

/**
 * Builds the program with all commands.
 * @param isJson true if errors of the command line are printed as JSON
 */
export function createProgram(isJson = false): Command {
  const program = new Command('fairway')
    .description('Business messaging gateway in front of the WhatsApp Business Platform.')
    .version(readVersion(), '-V, --version')
    .option('--url <url>', 'gateway to use, with credentials from the environment')
    .option('--profile <name>', 'stored gateway to use (see `fairway profiles`)')
    .option('--json', 'print JSON for programs')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', () => `\n${exitCodesText()}`)
    .exitOverride()
    .configureOutput(
      isJson ? { outputError: (text) => printError({ message: text.trim().replace(/^error: /, '') }) } : {},
    );
  registerCommands(program);
  return program;
}

/** Runs one command line and returns its exit code. Without arguments it runs the gateway. */
export async function runProgram(args: readonly string[]): Promise<ExitCode> {
  // The reader of a pipe may end first, as in `fairway messages list | head`.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(EXIT.done);
      throw error;
    });
  const isJson = args.includes('--json');
  try {
    await createProgram(isJson).parseAsync(args.length === 0 ? ['serve'] : [...args], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Commander has printed its own errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    report(error, isJson);
    return error instanceof CliError ? error.exitCode : EXIT.failed;
  }
}

function report(error: unknown, isJson: boolean): void {
  if (error instanceof CliError) {
    if (error.exitCode === EXIT.interrupted) return;
    const { message, hint, facts } = error;
    if (isJson) printError({ message, hint, ...facts });
    else process.stderr.write(`error: ${safeText(message)}\n${hint === undefined ? '' : `  ${safeText(hint)}\n`}`);
    return;
  }
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
}

function printError(error: object): void {
  process.stderr.write(`${safeJson({ error })}\n`);
}

function exitCodesText(): string {
  const lines = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => `  ${code.padEnd(4)} ${meaning}`);
  return `Exit codes:\n${lines.join('\n')}`;
}
