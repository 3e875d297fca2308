import { type Command, InvalidArgumentError } from 'commander';
import type { Cli } from '../../cli.ts';
import { act, addCommand } from '../command.ts';
import { changeNumber } from './change-number.ts';

export function registerNumbersPace(numbers: Command): void {
  addCommand(numbers, 'pace', 'set the pace of a number, in messages a second', [
    'fairway numbers pace 106540352242922 20',
    'fairway numbers pace 106540352242922 platform',
  ])
    .argument('<number-id>', 'ID of the number')
    .argument('<rate>', 'messages a second, or `platform` to follow the platform', readPace)
    .action(act(setPace));
}

async function setPace(cli: Cli, id: string, rate: number | null): Promise<void> {
  await changeNumber(cli, id, { messages_per_second: rate });
}

function readPace(text: string): number | null {
  if (text === 'platform') return null;
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value < 0.01 || value > 10_000)
    throw new InvalidArgumentError('It must be a number from 0.01 to 10000, or `platform`.');
  return value;
}
