import { InvalidArgumentError } from 'commander';

/** Reads a number from 1 on. */
export function readCount(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 1_000_000)
    throw new InvalidArgumentError('It must be a number from 1 to 1000000.');
  return value;
}
