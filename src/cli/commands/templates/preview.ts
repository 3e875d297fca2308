import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { styled } from '../../terminal/output.ts';
import { act, addCommand } from '../command.ts';
import { type Preview, previewOf } from './preview-text.ts';
import { readTemplates } from './template.ts';
import { readTemplateFile } from './template-folder.ts';

interface PreviewOptions {
  language?: string;
  waba?: string;
  header?: string;
  param: string[];
  button: string[];
}

export function registerTemplatesPreview(templates: Command): void {
  const collect = (value: string, before: string[]) => [...before, value];
  addCommand(templates, 'preview <template>', 'show a template with values, as a person would see it', [
    'fairway templates preview order_update --language en_US --param A-1042',
    'fairway templates preview templates/order_update.en_US.json --button 0=A-1042',
  ])
    .option('--language <code>', 'language of the template; needed if it has several')
    .option('--waba <id>', 'business account; needed if several have the template')
    .option('--header <value>', 'value of the header')
    .option('--param <value>', 'value for the body, in order, or as `name=value`; repeatable', collect, [])
    .option('--button <place=value>', 'value of a button by its place from 0; repeatable', collect, [])
    .action(act(previewTemplate));
}

async function previewTemplate(cli: Cli, source: string, options: PreviewOptions): Promise<void> {
  const template = source.endsWith('.json') ? await readTemplateFile(source) : await findTemplate(cli, source, options);
  const preview = previewOf(template, {
    header: options.header,
    body: readParameters(options.param),
    buttons: readButtons(options.button),
  });
  if (preview.unused.length > 0)
    throw new CliError(EXIT.usage, `The template has no variable for: ${preview.unused.join(', ')}.`);
  await cli.out.result(preview, () => renderPreview(preview).join('\n'));
  if (preview.missing.length > 0) cli.out.note(`Without a value: ${preview.missing.join(', ')}.`);
}

async function findTemplate(cli: Cli, name: string, { language, waba }: PreviewOptions) {
  const found = await Array.fromAsync(readTemplates(await cli.tenant(), { name, language, waba_id: waba }));
  const [template, ...others] = found;
  if (template === undefined) throw new CliError(EXIT.notFound, `There is no template ${name}.`);
  if (others.length === 0) return template;
  const versions = found.map((one) => `${one.language} (${one.waba_id})`).join(', ');
  throw new CliError(EXIT.usage, `There are several templates ${name}: ${versions}.`, {
    hint: 'Name one with --language, and --waba.',
  });
}

/** Returns values by name, or by number in their order. */
function readParameters(param: readonly string[]): Map<string, string> {
  return new Map(
    param.map((text, at): [string, string] => {
      const [, name, value] = /^([a-z_][a-z0-9_]*)=(.*)$/s.exec(text) ?? [];
      return name === undefined || value === undefined ? [String(at + 1), text] : [name, value];
    }),
  );
}

function readButtons(button: readonly string[]): Map<string, string> {
  return new Map(
    button.map((text): [string, string] => {
      const [, place, value] = /^(\d{1,2})=(.*)$/s.exec(text) ?? [];
      if (place === undefined || value === undefined)
        throw new CliError(EXIT.usage, `--button needs a place and a value, such as 0=A-1042, not "${text}".`);
      return [place, value];
    }),
  );
}

function renderPreview({ header, body, footer, buttons, others, cards }: Preview): string[] {
  return [
    ...linesOf(header).map((line) => styled('bold', line)),
    ...linesOf(body).map(renderMarks),
    ...linesOf(footer).map((line) => styled('dim', line)),
    ...others.map((type) => styled('dim', `[${type.toLowerCase().replaceAll('_', ' ')}]`)),
    ...buttons.map(
      ({ text, detail }) => `${styled('cyan', `[ ${text} ]`)}${detail ? styled('dim', `  ${detail}`) : ''}`,
    ),
    ...cards.flatMap((card, at) => [
      styled('dim', `card ${at + 1}`),
      ...renderPreview(card).map((line) => `  ${line}`),
    ]),
  ];
}

function linesOf(text: string | null): string[] {
  return text === null ? [] : text.split('\n');
}

/** Renders the marks of bold, italic, struck and monospaced text in a line, and highlights variables without a value. */
function renderMarks(line: string): string {
  const marks = /\*([^*\s][^*]*)\*|(?<!\w)_([^_\s][^_]*)_(?!\w)|~([^~\s][^~]*)~|```([^`]+)```|(\{\{\s*\w+\s*\}\})/g;
  let end = 0;
  const parts: string[] = [];
  for (const match of line.matchAll(marks)) {
    const [whole, bold, italic, struck, mono, variable] = match;
    parts.push(styled('reset', line.slice(end, match.index)));
    if (bold !== undefined) parts.push(styled('bold', bold));
    else if (italic !== undefined) parts.push(styled('italic', italic));
    else if (struck !== undefined) parts.push(styled('strikethrough', struck));
    else if (mono !== undefined) parts.push(styled('cyan', mono));
    else if (variable !== undefined) parts.push(styled('yellow', variable));
    end = match.index + whole.length;
  }
  return [...parts, styled('reset', line.slice(end))].join('');
}
