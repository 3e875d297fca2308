import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { act, addCommand } from '../command.ts';
import { readAccount } from './template.ts';
import { contentOf, fileTextOf, withSamplesOf } from './template-file.ts';
import { DEFAULT_FOLDER, makeFolder, pathFor, readFolder, writeTemplateFile } from './template-folder.ts';

export function registerTemplatesPull(templates: Command): void {
  addCommand(templates, 'pull [folder]', 'write the templates as files, one for each name and language', [
    'fairway templates pull',
    'fairway templates pull shop/templates --waba 102290129340398',
  ])
    .option('--waba <id>', 'business account; needed if the templates belong to several')
    .action(act(pullTemplates));
}

async function pullTemplates(cli: Cli, folder = DEFAULT_FOLDER, { waba }: { waba?: string }): Promise<void> {
  const { templates } = await readAccount(await cli.tenant(), waba);
  const files = (await readFolder(folder)) ?? new Map();
  await makeFolder(folder);
  const written: string[] = [];
  for (const [key, template] of templates) {
    const file = files.get(key);
    const content = withSamplesOf(contentOf(template), file?.content);
    if (file !== undefined && fileTextOf(content) === fileTextOf(file.content)) continue;
    const path = file?.path ?? pathFor(folder, template);
    await writeTemplateFile(path, content);
    written.push(path);
  }
  const [unchanged, others] = [templates.size - written.length, [...files.keys()].filter((key) => !templates.has(key))];
  const result = { written, unchanged, without_template: others.map((key) => files.get(key)?.path) };
  await cli.out.result(result, () => {
    const kept = others.length === 0 ? '' : ` ${others.length} files without a template stay.`;
    return `Wrote ${written.length} files, ${unchanged} unchanged.${kept}`;
  });
}
