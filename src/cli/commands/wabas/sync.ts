import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { act, addCommand } from '../command.ts';
import { type ReadWaba, renderReadWaba, wabaPath } from './waba.ts';

export function registerWabasSync(wabas: Command): void {
  addCommand(wabas, 'sync <waba-id>', 'read the numbers and templates of a business account again', [
    'fairway wabas sync 102290129340398',
  ]).action(act(syncWaba));
}

async function syncWaba(cli: Cli, id: string): Promise<void> {
  const waba = await (await cli.operator()).post<ReadWaba>(`${wabaPath(id)}/sync`);
  await cli.out.result(waba, () => renderReadWaba(waba));
}
