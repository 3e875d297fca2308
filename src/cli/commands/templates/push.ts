import type { Command } from 'commander';
import type { Api } from '../../api/api.ts';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { styled } from '../../terminal/output.ts';
import { startProgress } from '../../terminal/progress.ts';
import { requireConfirmation } from '../../terminal/prompts.ts';
import { safeText } from '../../terminal/safe-text.ts';
import { act, addCommand } from '../command.ts';
import { planOf, refuseFixedChanges, renderPlan, type Step, viewOf } from './plan.ts';
import { readAccount } from './template.ts';
import { DEFAULT_FOLDER, readFolder } from './template-folder.ts';

interface PushOptions {
  waba?: string;
  prune?: boolean;
  yes?: boolean;
}

/** The end of a step: done, refused with a reason, or not tried after a failure of the gateway. */
interface Outcome {
  step: Step;
  result: 'done' | 'failed' | 'not tried';
  reason?: string;
}

export function registerTemplatesPush(templates: Command): void {
  addCommand(templates, 'push [folder]', 'create and edit templates from files, after a plan', [
    'fairway templates push',
    'fairway templates push shop/templates --waba 102290129340398 --prune',
    'fairway templates push --yes --json',
  ])
    .option('--waba <id>', 'business account; needed unless all templates belong to one')
    .option('--prune', 'delete templates without a file')
    .option('--yes', 'apply the plan without asking')
    .action(act(pushTemplates));
}

async function pushTemplates(cli: Cli, folder = DEFAULT_FOLDER, options: PushOptions): Promise<void> {
  const files = await readFolder(folder);
  if (files === undefined || files.size === 0)
    throw new CliError(EXIT.usage, `There is no template in the folder ${folder}.`);
  const api = await cli.tenant();
  const { wabaId, templates } = await readAccount(api, options.waba);
  if (wabaId === undefined)
    throw new CliError(EXIT.usage, 'The business account is missing.', { hint: 'Name it with --waba.' });
  const plan = planOf(files, templates, options.prune === true);
  refuseFixedChanges(plan);
  const steps = plan.filter(({ action }) => action !== 'unchanged' && action !== 'missing');
  if (steps.length === 0) return cli.out.result({ plan: plan.map(viewOf), results: [] }, () => renderPlan(plan));
  // Standard output gets one document with --json: the plan and the results.
  if (!cli.out.isJson) await cli.out.result(plan, () => renderPlan(plan));
  await requireConfirmation(options.yes === true, `Apply the plan to ${wabaId}?`, 'Nothing was changed.');
  const outcomes = await applyAll(api, wabaId, steps, cli.signal);
  const results = outcomes.map(({ step: { action, name, language }, ...end }) => ({ action, name, language, ...end }));
  await cli.out.result({ plan: plan.map(viewOf), results }, () => outcomes.map(lineOf).join('\n'));
  cli.signal.throwIfAborted();
  const failed = outcomes.filter(({ result }) => result !== 'done').length;
  if (failed > 0) throw new CliError(EXIT.unmet, `${failed} of ${outcomes.length} templates were not changed.`);
}

/** Applies the steps one after the other. A refused one does not stop the others; Ctrl-C and an unusable gateway do. */
async function applyAll(api: Api, wabaId: string, steps: readonly Step[], signal: AbortSignal): Promise<Outcome[]> {
  const progress = await startProgress('Applied', steps.length);
  const outcomes: Outcome[] = [];
  let isOver = false;
  try {
    for (const step of steps) {
      if (isOver) {
        outcomes.push({ step, result: 'not tried' });
        continue;
      }
      try {
        await apply(api, wabaId, step);
        outcomes.push({ step, result: 'done' });
      } catch (error) {
        if (!(error instanceof CliError) && !signal.aborted) throw error;
        isOver = !isRefusal(error);
        const reason = error instanceof CliError ? error.message : 'interrupted: it may have been applied';
        outcomes.push({ step, result: 'failed', reason });
      }
      progress.show(outcomes.length);
    }
  } finally {
    progress.stop();
  }
  return outcomes;
}

/** True if the gateway refused this template alone, and may take others. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof CliError)) return false;
  return error.exitCode === EXIT.notFound || (error.exitCode === EXIT.refused && error.facts.status !== 429);
}

async function apply(api: Api, wabaId: string, { action, file, template, changes }: Step): Promise<void> {
  const path = template && `/v1/templates/${encodeURIComponent(template.id)}`;
  if (action === 'create') await api.post(`/v1/${encodeURIComponent(wabaId)}/templates`, file?.content);
  else if (action === 'delete') await api.request('DELETE', `${path}`);
  else {
    const changed = new Set(changes.map((change) => /^[^.[]+/.exec(change.path)?.[0]));
    const members = Object.entries(file?.content ?? {}).filter(([name]) => changed.has(name));
    await api.post(`${path}`, Object.fromEntries(members));
  }
}

function lineOf({ step: { action, name, language }, result, reason }: Outcome): string {
  const style = result === 'done' ? 'green' : 'red';
  const line = `${styled(style, result.padEnd(9))}  ${action.padEnd(6)}  ${safeText(`${name} ${language}`)}`;
  return reason === undefined ? line : `${line}\n           ${styled('red', reason)}`;
}
