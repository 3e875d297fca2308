import completions, { type RootCommand } from '@bomb.sh/tab';
import type { Command } from 'commander';

/** Describes all visible commands to the library that answers the shells. */
export function describeForCompletion(program: Command): RootCommand {
  describe(program, '');
  return completions;
}

function describe(command: Command, path: string): void {
  const help = command.createHelp();
  const target = path === '' ? completions : completions.command(path, command.description());
  for (const { long, description } of help.visibleOptions(command)) if (long) target.option(long.slice(2), description);
  for (const { argChoices } of command.registeredArguments)
    if (argChoices)
      target.argument('choice', (complete) => {
        for (const choice of argChoices) complete(choice, '');
      });
  for (const child of help.visibleCommands(command))
    describe(child, path === '' ? child.name() : `${path} ${child.name()}`);
}
