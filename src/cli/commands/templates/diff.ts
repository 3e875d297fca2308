import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { act, addCommand } from '../command.ts';
import { planOf, renderPlan, viewOf } from './plan.ts';
import { readAccount } from './template.ts';
import { DEFAULT_FOLDER, readFolder } from './template-folder.ts';

interface DiffOptions {
  waba?: string;
  check?: boolean;
}

export function registerTemplatesDiff(templates: Command): void {
  addCommand(templates, 'diff [folder]', 'compare the files with the templates', [
    'fairway templates diff',
    'fairway templates diff shop/templates --check',
  ])
    .option('--waba <id>', 'business account; needed if the templates belong to several')
    .option('--check', 'exit code 7 if something differs')
    .action(act(diffTemplates));
}

async function diffTemplates(cli: Cli, folder = DEFAULT_FOLDER, { waba, check }: DiffOptions): Promise<void> {
  const files = await readFolder(folder);
  if (files === undefined) throw new CliError(EXIT.usage, `There is no folder ${folder}.`);
  const { templates } = await readAccount(await cli.tenant(), waba);
  const steps = planOf(files, templates, false);
  await cli.out.result({ data: steps.map(viewOf) }, () => renderPlan(steps));
  if (check === true && steps.some(({ action }) => action !== 'unchanged'))
    throw new CliError(EXIT.unmet, 'The files differ from the templates.');
}
