import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderTable } from '../../terminal/table.ts';
import { ago } from '../../terminal/times.ts';
import { act, addCommand } from '../command.ts';
import { APPS_PATH, type MetaApp } from './app.ts';

interface AppList {
  default_app_id: string | null;
  data: MetaApp[];
}

export function registerAppsList(apps: Command): void {
  addCommand(apps, 'list', 'list the Meta apps, oldest first', [
    'fairway apps list',
    'fairway apps list --json',
  ]).action(act(listApps));
}

async function listApps(cli: Cli): Promise<void> {
  const api = await cli.operator();
  const list = await api.get<AppList>(APPS_PATH);
  await cli.out.result(list, async () => {
    const ofEnvironment = `The app of the environment is ${list.default_app_id ?? 'not set'}.`;
    if (list.data.length === 0) return `${ofEnvironment} There are no further apps.`;
    const table = await renderTable(
      [
        { title: 'ID', text: ({ app_id }) => app_id },
        { title: 'NAME', text: ({ name }) => name, wraps: true },
        { title: 'SECRETS', text: ({ secrets }) => secrets },
        { title: 'CHANGED', text: (app) => ago(app.secrets_changed_at) },
        { title: 'PROOF', text: (app) => (app.secret_proof ? 'on' : 'off') },
        { title: 'SIGN-UP', text: (app) => app.signup_configuration_id },
      ],
      list.data,
    );
    return `${table}\n${ofEnvironment}`;
  });
}
