import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { act, addCommand } from '../command.ts';
import { type OptOut, personOf } from './opt-out.ts';

export function registerOptOutsAdd(optOuts: Command): void {
  addCommand(optOuts, 'add <person>', 'opt a person out of the marketing of a number', [
    'fairway opt-outs add +12025550123 --number 100000000000002',
  ])
    .option('--number <id>', 'the sending number (default: of the profile, or FAIRWAY_PHONE_NUMBER_ID)')
    .action(act(addOptOut));
}

async function addOptOut(cli: Cli, person: string, options: { number?: string }): Promise<void> {
  const number = options.number ?? (await cli.connection()).phoneNumberId;
  if (number === undefined)
    throw new CliError(EXIT.usage, 'The number is missing.', {
      hint: 'Pass --number with its ID, or set FAIRWAY_PHONE_NUMBER_ID.',
    });
  const api = await cli.tenant();
  const optOut = await api.post<OptOut>('/v1/opt-outs', { phone_number_id: number, person });
  await cli.out.result({ ...optOut }, () => `${personOf(optOut)} gets no marketing from ${number} (${optOut.id}).`);
}
