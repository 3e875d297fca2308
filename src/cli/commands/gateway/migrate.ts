import type { Command } from 'commander';
import { addCommand } from '../command.ts';

export function registerMigrate(program: Command): void {
  addCommand(program, 'migrate', 'bring the database up to this version and exit', [
    'DATABASE_URL=postgres://… fairway migrate',
  ]).action(async () => {
    const { runMigrate } = await import('../../gateway/migrate.ts');
    await runMigrate();
  });
}
