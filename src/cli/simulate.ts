import { runSimulatorCommand } from '../simulator/index.ts';
import { stopSignal } from './stop-signal.ts';

/** Runs the simulated platform until it is told to stop. */
export async function runSimulate(options: { port: string; webhookUrl?: string }): Promise<void> {
  const port = Number(options.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('--port must be a number from 0 to 65535.');
  await runSimulatorCommand(
    { port, ...(options.webhookUrl !== undefined && { webhookUrl: options.webhookUrl }) },
    (line) => process.stdout.write(`${line}\n`),
    stopSignal(),
  );
}
