import type { Command } from 'commander';
import { act, addCommand } from '../command.ts';
import { changeNumber } from './change-number.ts';

export function registerNumbersResume(numbers: Command): void {
  addCommand(numbers, 'resume <number-id>', 'send from a paused number again', [
    'fairway numbers resume 106540352242922',
  ]).action(act((cli, id: string) => changeNumber(cli, id, { paused: false })));
}
