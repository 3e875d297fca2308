import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { requireConfirmation } from '../../terminal/prompts.ts';
import { span } from '../../terminal/times.ts';
import { readSpan } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { type OperatorWithToken, operatorPath, renderToken } from './operator.ts';

interface RotateOptions {
  overlap: number;
  yes?: boolean;
}

export function registerOperatorsRotate(operators: Command): void {
  addCommand(operators, 'rotate <operator-id>', 'give an operator a new token, shown this once', [
    'fairway operators rotate 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
    'fairway operators rotate 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --overlap 1h --yes --json',
  ])
    .option('--overlap <time>', 'time during which the old token works too, such as 2h', readSpan, 0)
    .option('--yes', 'rotate without asking')
    .action(act(rotateToken));
}

async function rotateToken(cli: Cli, id: string, { overlap, yes }: RotateOptions): Promise<void> {
  const end = overlap === 0 ? 'ends at once' : `works for ${span(overlap)} more`;
  const question = `Give ${id} a new token? The present one ${end}; an older one ends now.`;
  await requireConfirmation(yes === true, question, 'Nothing was rotated.');
  const api = await cli.operator();
  const rotated = await api.post<OperatorWithToken>(`${operatorPath(id)}/rotate`, { overlap_seconds: overlap });
  await cli.out.result(rotated, () => renderToken(rotated));
}
