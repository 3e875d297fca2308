import type { Command } from 'commander';
import { Api } from '../../api/api.ts';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { readBaseUrl } from '../../connection/choose-connection.ts';
import { EXIT } from '../../exit-codes.ts';

/** Options that every trigger takes. */
export interface TriggerOptions {
  simulator?: string;
  number?: string;
}

/** A webhook that the simulator posted; null if nobody is subscribed. */
export type Delivery = { outcome: string; http_status: number | null; attempts: number } | null;

/** Adds `--simulator`. */
export function withSimulator(command: Command): Command {
  return command.option(
    '--simulator <url>',
    'address of the simulator (default: that of `npm start` in this checkout)',
  );
}

/** Adds `--simulator` and `--number`. */
export function withNumber(command: Command): Command {
  return withSimulator(command).option(
    '--number <id>',
    'ID of the number (default: of the profile, or FAIRWAY_PHONE_NUMBER_ID)',
  );
}

/** Returns the control API of the simulator, which takes no credential. */
export async function simulatorOf(cli: Cli, options: TriggerOptions): Promise<Api> {
  const named = options.simulator ?? cli.env.simulatorUrl;
  const found = named ?? (await cli.connection()).simulatorUrl;
  if (found === undefined)
    throw new CliError(EXIT.usage, 'The gateway has no simulator that this command knows.', {
      hint: 'Run `npm start` in this checkout, or pass --simulator with the address of `fairway simulate`.',
    });
  return new Api({
    url: `${readBaseUrl(found)}/_sim`,
    token: undefined,
    signal: cli.signal,
    unreachableHint: 'Run `npm start` in this checkout, or `fairway simulate`.',
  });
}

/** Returns the ID of the number that a trigger is about. */
export async function numberOf(cli: Cli, { number }: TriggerOptions): Promise<string> {
  const id = number ?? cli.env.phoneNumberId ?? (await cli.connection()).phoneNumberId;
  if (id === undefined)
    throw new CliError(EXIT.usage, 'The number is missing.', {
      hint: 'Pass --number with its ID, or set FAIRWAY_PHONE_NUMBER_ID.',
    });
  return id;
}

/** Says what became of a webhook. */
export function describeDelivery(delivery: Delivery | undefined): string | undefined {
  if (delivery === undefined) return undefined;
  if (delivery === null) return 'none: nobody is subscribed';
  return `${delivery.outcome}, answered ${delivery.http_status ?? 'nothing'}`;
}

/** Reads a JSON object of the command line. */
export function readJsonObject(text: string, option: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {}
  throw new CliError(EXIT.usage, `${option} must be a JSON object.`);
}
