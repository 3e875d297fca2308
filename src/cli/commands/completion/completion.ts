import { Argument, type Command } from 'commander';
import { addCommand } from '../command.ts';

const SHELLS = ['bash', 'zsh', 'fish'];

/** Registers `completion`, and the hidden `complete` that its scripts call. */
export function registerCompletion(program: Command): void {
  addCommand(program, 'completion', 'print the script that completes commands in a shell', [
    'source <(fairway completion bash)',
    'fairway completion zsh > ~/.zfunc/_fairway',
    'fairway completion fish > ~/.config/fish/completions/fairway.fish',
  ])
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action(async (shell: string) => {
      const { script } = await import('@bomb.sh/tab');
      script(shell, 'fairway', 'fairway');
    });
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: string[]) => {
      const { describeForCompletion } = await import('./describe-for-completion.ts');
      describeForCompletion(program).parse(words);
    });
}
