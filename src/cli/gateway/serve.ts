import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createApp } from '../../app.ts';
import { type Config, readConfig } from '../../config.ts';
import { SteadyClock } from '../../core/time/steady-clock.ts';
import { CONNECTIONS_MAX } from '../../http/index.ts';
import { openLog } from './open-log.ts';
import { runUntilStopped, type StartContext } from './run-until-stopped.ts';
import { openSurroundings, urlOf } from './surroundings.ts';
import { welcome } from './welcome.ts';

/**
 * Runs the gateway until it is stopped. Without a DATABASE_URL it starts the embedded database; without an upstream it starts the simulated
 * platform with a demo tenant. With several workers, this process supervises them.
 */
export async function runServe(stop: AbortSignal): Promise<void> {
  const config = readConfig();
  const log = openLog(config.logLevel);
  const start = config.workers === 1 ? startAlone : (await import('./workers/supervise.ts')).startWorkers;
  await runUntilStopped({ stop, log }, (context) => start(config, log, context));
}

/** Starts a gateway in this process. Returns the banner. */
async function startAlone(config: Config, log: Logger, { stop, onUnfit, closers }: StartContext): Promise<string> {
  const surroundings = await openSurroundings(config, log, { stop, closers });
  const app = await createApp({
    ...surroundings.settings,
    onUnfit,
    log,
    clock: new SteadyClock(),
    random: Math.random,
  });
  app.metrics.includeProcess();
  closers.push(() => app.stop());
  await app.start(stop);
  await app.http.listen({ host: config.host, port: config.port, backlog: CONNECTIONS_MAX });
  const baseUrl = urlOf(app.http.server.address() as AddressInfo);
  return await welcome(config, surroundings, { baseUrl, consoleLink: () => app.consoleLink(), closers });
}
