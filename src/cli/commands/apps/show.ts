import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { act, addCommand } from '../command.ts';
import { appPath, type MetaApp, renderApp } from './app.ts';

export function registerAppsShow(apps: Command): void {
  addCommand(apps, 'show <app-id>', 'show one Meta app', ['fairway apps show 660011223344']).action(act(showApp));
}

async function showApp(cli: Cli, id: string): Promise<void> {
  const api = await cli.operator();
  const app = await api.get<MetaApp>(appPath(id));
  await cli.out.result(app, () => renderApp(app));
}
