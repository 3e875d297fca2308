import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { readProfiles } from '../../connection/profiles.ts';
import { renderTable } from '../../terminal/table.ts';
import { act, addCommand } from '../command.ts';

export function registerProfiles(program: Command): void {
  addCommand(program, 'profiles', 'list the stored profiles, without their secrets', [
    'fairway profiles',
    'fairway profiles --json',
  ]).action(act(listProfiles));
}

async function listProfiles(cli: Cli): Promise<void> {
  const { profiles, default: usual } = await readProfiles(cli.env.profilesPath);
  const rows = Object.entries(profiles).map(([name, profile]) => ({
    name,
    url: profile.url,
    credentials: [profile.api_key && 'API key', profile.admin_token && 'admin token'].filter(Boolean),
    phone_number_id: profile.phone_number_id ?? null,
    default: name === usual,
  }));
  await cli.out.result({ data: rows }, () => {
    if (rows.length === 0) return 'No profile is stored. Run `fairway login`.';
    return renderTable(
      [
        { title: '', text: (row) => (row.default ? '*' : ' ') },
        { title: 'PROFILE', text: (row) => row.name },
        { title: 'URL', text: (row) => row.url, wraps: true },
        { title: 'CREDENTIALS', text: (row) => row.credentials.join(', ') },
        { title: 'NUMBER', text: (row) => row.phone_number_id },
      ],
      rows,
    );
  });
}
