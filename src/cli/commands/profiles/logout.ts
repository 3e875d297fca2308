import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { readProfiles, writeProfiles } from '../../connection/profiles.ts';
import { EXIT } from '../../exit-codes.ts';
import { askConfirmation } from '../../terminal/prompts.ts';
import { act, addCommand } from '../command.ts';

export function registerLogout(program: Command): void {
  addCommand(program, 'logout', 'remove a stored profile with its secrets', [
    'fairway logout',
    'fairway logout --profile staging --yes',
  ])
    .option('--yes', 'remove without asking')
    .action(act(logout));
}

async function logout(cli: Cli, options: { yes?: boolean }): Promise<void> {
  const path = cli.env.profilesPath;
  const { profiles, default: usual } = await readProfiles(path);
  const name = cli.options.profile ?? cli.env.profile ?? usual;
  if (name === undefined || !Object.hasOwn(profiles, name))
    throw new CliError(EXIT.usage, name === undefined ? 'No profile is stored.' : `There is no profile "${name}".`);
  if (options.yes !== true && !(await askConfirmation(`Remove profile ${name}?`)))
    throw new CliError(EXIT.unmet, 'Nothing was removed.');
  const { [name]: _, ...others } = profiles;
  const [first] = Object.keys(others);
  const next = usual === name ? first : usual;
  await writeProfiles(path, { ...(next !== undefined && { default: next }), profiles: others });
  await cli.out.result({ removed: name }, () => `Removed profile ${name}.`);
}
