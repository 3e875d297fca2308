import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { act, addCommand } from '../command.ts';
import { type OptOut, personOf } from './opt-out.ts';

export function registerOptOutsAdd(optOuts: Command): void {
  addCommand(optOuts, 'add <person>', 'opt a person out of the marketing of a number', [
    'fairway opt-outs add +12025550123 --number 100000000000002',
  ])
    .requiredOption('--number <id>', 'the sending number')
    .action(act(addOptOut));
}

async function addOptOut(cli: Cli, person: string, { number }: { number: string }): Promise<void> {
  const api = await cli.tenant();
  const optOut = await api.post<OptOut>('/v1/opt-outs', { phone_number_id: number, person });
  await cli.out.result({ ...optOut }, () => `${personOf(optOut)} gets no marketing from ${number} (${optOut.id}).`);
}
