import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { act, addCommand } from '../command.ts';
import { tenantPath } from '../tenants/tenant.ts';
import { readWabaToken } from './read-token.ts';
import { type ReadWaba, renderReadWaba } from './waba.ts';

export function registerWabasConnect(wabas: Command): void {
  addCommand(wabas, 'connect <tenant> <waba-id>', 'connect a business account, or give it another token', [
    'fairway wabas connect 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 102290129340398',
    'fairway wabas connect 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 102290129340398 --app 660011223344 < token.txt',
  ])
    .option('--app <id>', 'the Meta app of the token; without it, the platform is asked')
    .action(act(connectWaba));
}

async function connectWaba(cli: Cli, tenantId: string, wabaId: string, { app }: { app?: string }): Promise<void> {
  const api = await cli.operator();
  const body = { waba_id: wabaId, access_token: await readWabaToken(cli), app_id: app };
  const waba = await api.post<ReadWaba>(`${tenantPath(tenantId)}/wabas`, body);
  await cli.out.result(waba, () => renderReadWaba(waba));
}
