import { once } from 'node:events';
import { type SimulatorOptions, startSimulator } from '../simulator.ts';

/**
 * Runs a simulator on its own until `stop` is aborted, then closes it. Prints one line once it listens. Accounts are created over the
 * control API.
 */
export async function runSimulatorCommand(
  command: Pick<SimulatorOptions, 'port' | 'webhookUrl'>,
  print: (line: string) => void,
  stop: AbortSignal,
): Promise<void> {
  const simulator = await startSimulator({
    appId: '900000000000001',
    appSecret: 'simulated-app-secret',
    verifyToken: 'simulated-verify-token',
    ...command,
  });
  print(`Simulated WhatsApp Cloud API: ${simulator.baseUrl} (control API: ${simulator.origin}/_sim)`);
  try {
    if (!stop.aborted) await once(stop, 'abort');
  } finally {
    await simulator.close();
  }
}
