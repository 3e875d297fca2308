import { InvalidArgumentError } from 'commander';

/** Reads a number from 1 on. */
export function readCount(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 1_000_000)
    throw new InvalidArgumentError('It must be a number from 1 to 1000000.');
  return value;
}

/** Reads a quantity from 0 on, or `unlimited`. */
export function readLimit(text: string): number | 'unlimited' {
  if (text === 'unlimited') return text;
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !Number.isFinite(value))
    throw new InvalidArgumentError('It must be a number from 0 on, or `unlimited`.');
  return value;
}

/** Reads a rate above 0. */
export function readRate(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value <= 0 || !Number.isFinite(value))
    throw new InvalidArgumentError('It must be a number above 0.');
  return value;
}

/** Reads words that are separated by commas. */
export function readWords(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  if (words.includes('')) throw new InvalidArgumentError('It must be words, separated by commas.');
  return words;
}

/** Reads a length of time, such as `30min` or `2h`. Returns seconds. */
export function readSpan(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})(s|min|h|d)$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('It must be a time such as 0s, 30min, 2h or 7d.');
  return (Number(count) * (UNIT_MS[unit] ?? 0)) / 1000;
}

const UNIT_MS: Record<string, number> = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a moment: ISO 8601, or a time before now such as `30min`, `2h` or `7d`. Returns ISO 8601. */
export function readMoment(text: string): string {
  const [, count, unit = ''] = /^(\d{1,6})(s|min|h|d)$/.exec(text) ?? [];
  const ms = count === undefined ? readIsoMs(text) : Date.now() - Number(count) * (UNIT_MS[unit] ?? 0);
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('It must be ISO 8601, such as 2026-11-02T10:00:00Z, or a time ago, such as 2h.');
  return new Date(ms).toISOString();
}

/** Returns epoch milliseconds; without an offset the moment is in the zone of the terminal. */
function readIsoMs(text: string): number {
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
}
