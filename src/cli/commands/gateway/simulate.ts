import type { Command } from 'commander';
import { addCommand } from '../command.ts';

export function registerSimulate(program: Command): void {
  addCommand(program, 'simulate', 'run the simulated platform alone', [
    'fairway simulate --port 8090 --webhook-url http://127.0.0.1:8080/webhooks/upstream',
  ])
    .option('--port <port>', 'port to listen on', '8090')
    .option('--webhook-url <url>', 'where its webhooks go')
    .action(async (options: { port: string; webhookUrl?: string }) => {
      const { runSimulate } = await import('../../gateway/simulate.ts');
      await runSimulate(options);
    });
}
