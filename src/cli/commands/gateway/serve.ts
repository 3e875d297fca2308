import type { Command } from 'commander';
import { stopSignal } from '../../gateway/stop-signal.ts';
import { addCommand } from '../command.ts';

export function registerServe(program: Command): void {
  addCommand(program, 'serve', 'run the gateway (configured by environment variables)', [
    'fairway serve',
    'PORT=9000 fairway serve',
  ]).action(async () => {
    // Loading the modules takes most of a second on a cold machine; a stop signal must already work then.
    const stop = stopSignal();
    const { runServe } = await import('../../gateway/serve.ts');
    await runServe(stop);
  });
}
