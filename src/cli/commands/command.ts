import type { Command } from 'commander';
import { Cli, type GlobalOptions } from '../cli.ts';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';

/**
 * Adds a command to `parent`. Its help ends with the examples.
 * @param usage name and arguments, such as `show <id>`
 */
export function addCommand(parent: Command, usage: string, summary: string, examples: readonly string[]): Command {
  return parent
    .command(usage)
    .description(summary)
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);
}

/** Adds a group of commands, such as `messages`. */
export function addGroup(parent: Command, name: string, summary: string): Command {
  return parent.command(name).description(summary);
}

/**
 * Returns the action of a command for people: `run` gets the surroundings, then the arguments and options of the command. Ctrl-C aborts
 * `cli.signal`; a second one ends the process.
 */
export function act<Args extends unknown[]>(run: (cli: Cli, ...args: Args) => Promise<void>) {
  return async (...all: unknown[]): Promise<void> => {
    const command = all.at(-1) as Command;
    const interrupt = new AbortController();
    const onInterrupt = () => interrupt.abort();
    process.once('SIGINT', onInterrupt);
    try {
      await run(new Cli(command.optsWithGlobals<GlobalOptions>(), interrupt.signal), ...(all.slice(0, -1) as Args));
    } catch (error) {
      const isPromptEnd = error instanceof Error && error.name === 'ExitPromptError';
      if (interrupt.signal.aborted || isPromptEnd) throw new CliError(EXIT.interrupted, 'Interrupted.');
      throw error;
    } finally {
      process.removeListener('SIGINT', onInterrupt);
    }
  };
}
