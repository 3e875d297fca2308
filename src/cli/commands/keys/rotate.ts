import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { requireConfirmation } from '../../terminal/prompts.ts';
import { span } from '../../terminal/times.ts';
import { readSpan } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { renderNewKey, rotateKey } from './key.ts';

interface RotateOptions {
  overlap: number;
  yes?: boolean;
}

const OVERLAP_SECONDS = 24 * 3600;

export function registerKeysRotate(keys: Command): void {
  addCommand(keys, 'rotate <key-id>', 'give an API key a new secret, shown this once', [
    'fairway keys rotate 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e31',
    'fairway keys rotate 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e31 --overlap 0s --yes --json',
  ])
    .option(
      '--overlap <time>',
      'time during which the present secret works too (default: 1d)',
      readSpan,
      OVERLAP_SECONDS,
    )
    .option('--yes', 'rotate without asking')
    .action(act(rotate));
}

async function rotate(cli: Cli, id: string, { overlap, yes }: RotateOptions): Promise<void> {
  const end = overlap === 0 ? 'ends at once' : `works for ${span(overlap)} more`;
  const question = `Give ${id} a new secret? The present one ${end}; an older one ends now.`;
  await requireConfirmation(yes === true, question, 'Nothing was rotated.');
  const rotated = await rotateKey(await cli.operator(), id, overlap);
  await cli.out.result(rotated, () => renderNewKey(rotated));
}
