#!/usr/bin/env node
import { Command } from 'commander';
import { stopSignal } from './cli/gateway/stop-signal.ts';

const program = new Command('fairway').description(
  'Business messaging gateway in front of the WhatsApp Business Platform.',
);

program
  .command('serve', { isDefault: true })
  .description('run the gateway (configured by environment variables)')
  .action(async () => {
    // Loading the modules takes most of a second on a cold machine; a stop signal must already work then.
    const stop = stopSignal();
    const { runServe } = await import('./cli/gateway/serve.ts');
    await runServe(stop);
  });
program
  .command('migrate')
  .description('bring the database up to this version and exit')
  .action(async () => {
    const { runMigrate } = await import('./cli/gateway/migrate.ts');
    await runMigrate();
  });
program
  .command('simulate')
  .description('run the simulated platform alone')
  .option('--port <port>', 'port to listen on', '8090')
  .option('--webhook-url <url>', 'where its webhooks go')
  .action(async (options: { port: string; webhookUrl?: string }) => {
    const { runSimulate } = await import('./cli/gateway/simulate.ts');
    await runSimulate(options);
  });

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
