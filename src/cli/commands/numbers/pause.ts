import type { Command } from 'commander';
import { act, addCommand } from '../command.ts';
import { changeNumber } from './change-number.ts';

export function registerNumbersPause(numbers: Command): void {
  addCommand(numbers, 'pause <number-id>', 'stop sending from a number; it keeps its waiting messages', [
    'fairway numbers pause 106540352242922',
  ]).action(act((cli, id: string) => changeNumber(cli, id, { paused: true })));
}
