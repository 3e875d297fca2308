import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { type Style, styled } from '../../terminal/output.ts';
import { safeText } from '../../terminal/safe-text.ts';
import type { Template } from './template.ts';
import { type Change, changesOf } from './template-changes.ts';
import { contentOf } from './template-file.ts';
import type { TemplateFile } from './template-folder.ts';

type Action = 'create' | 'edit' | 'delete' | 'unchanged' | 'missing';

/** One template with the difference between its file and the gateway. */
export interface Step {
  /** `missing`: it has no file, and stays. */
  action: Action;
  name: string;
  language: string;
  file: TemplateFile | undefined;
  template: Template | undefined;
  changes: Change[];
}

/** Members that select a template or are fixed by its creation. */
const FIXED = ['parameter_format'];

/** Compares a folder with the gateway. `isPruned` makes templates without a file deletions. */
export function planOf(
  files: ReadonlyMap<string, TemplateFile>,
  templates: ReadonlyMap<string, Template>,
  isPruned: boolean,
): Step[] {
  const keys = [...new Set([...files.keys(), ...templates.keys()])].sort();
  return keys.flatMap((key) => {
    const [file, template] = [files.get(key), templates.get(key)];
    const named = file?.content ?? template;
    if (named === undefined) return [];
    const { name, language } = named;
    const changes = file && template ? changesOf(contentOf(template), file.content) : [];
    return [{ action: actionOf(file, template, changes, isPruned), name, language, file, template, changes }];
  });
}

/** Throws for wrong usage if a file changes a member that only a creation sets. */
export function refuseFixedChanges(steps: readonly Step[]): void {
  for (const { file, changes } of steps)
    for (const { path } of changes)
      if (file !== undefined && FIXED.includes(path))
        throw new CliError(EXIT.usage, `${file.path}: "${path}" of a template cannot be changed.`, {
          hint: 'Delete the template first, or give it another name.',
        });
}

function actionOf(
  file: TemplateFile | undefined,
  template: Template | undefined,
  changes: readonly Change[],
  isPruned: boolean,
): Action {
  if (template === undefined) return 'create';
  if (file === undefined) return isPruned ? 'delete' : 'missing';
  return changes.length > 0 ? 'edit' : 'unchanged';
}

const STYLES: Record<Action, Style> = {
  create: 'green',
  edit: 'yellow',
  delete: 'red',
  unchanged: 'dim',
  missing: 'dim',
};

/** Renders the steps with their changes, and their counts at the end. Unchanged templates are only counted. */
export function renderPlan(steps: readonly Step[]): string {
  const lines = steps
    .filter(({ action }) => action !== 'unchanged')
    .flatMap(({ action, name, language, changes }) => [
      `${styled(STYLES[action], action.padEnd(7))}  ${safeText(`${name} ${language}`)}`,
      ...changes.flatMap(({ path, from, to }) => [
        `           ${styled('dim', path)}`,
        ...(from === undefined ? [] : [`           ${styled('red', `- ${from}`)}`]),
        ...(to === undefined ? [] : [`           ${styled('green', `+ ${to}`)}`]),
      ]),
    ]);
  return [...lines, countsOf(steps)].join('\n');
}

/** Returns the number of templates for each action. */
function countsOf(steps: readonly Step[]): string {
  const count = (action: Action) => steps.filter((step) => step.action === action).length;
  const parts = [`${count('create')} to create`, `${count('edit')} to edit`, `${count('unchanged')} unchanged`];
  if (count('delete') > 0) parts.push(`${count('delete')} to delete`);
  if (count('missing') > 0) parts.push(`${count('missing')} without a file`);
  return `${parts.join(', ')}.`;
}

/** Returns a step for `--json`. */
export function viewOf({ action, name, language, file, template, changes }: Step) {
  return { action, name, language, file: file?.path ?? null, id: template?.id ?? null, changes };
}
