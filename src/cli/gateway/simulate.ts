import { runSimulatorCommand } from '../../simulator/index.ts';
import { stopSignal } from './stop-signal.ts';

/** Runs the simulated platform until it is stopped. */
export async function runSimulate(options: { port: string; webhookUrl?: string }): Promise<void> {
  const { webhookUrl } = options;
  const port = Number(options.port);
  if (!/^\d+$/.test(options.port) || port > 65_535) throw new Error('--port must be a number from 0 to 65535.');
  if (webhookUrl !== undefined && !/^https?:$/.test(URL.parse(webhookUrl)?.protocol ?? '')) {
    throw new Error('--webhook-url must be an http(s) URL.');
  }
  await runSimulatorCommand(
    { port, ...(webhookUrl !== undefined && { webhookUrl }) },
    (line) => process.stdout.write(`${line}\n`),
    stopSignal(),
  );
}
