#!/usr/bin/env node
import { Command } from 'commander';
import { runMigrate } from './cli/migrate.ts';
import { runServe } from './cli/serve.ts';
import { runSimulate } from './cli/simulate.ts';

const program = new Command('fairway').description(
  'Business messaging gateway in front of the WhatsApp Business Platform.',
);

program
  .command('serve', { isDefault: true })
  .description('run the gateway (configured by environment variables)')
  .action(runServe);
program.command('migrate').description('bring the database up to this version and exit').action(runMigrate);
program
  .command('simulate')
  .description('run the simulated platform alone')
  .option('--port <port>', 'port to listen on', '8090')
  .option('--webhook-url <url>', 'where its webhooks go')
  .action(runSimulate);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
