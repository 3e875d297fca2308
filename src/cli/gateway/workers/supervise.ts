import type { Logger } from 'pino';
import type { Config } from '../../../config.ts';
import { consoleLinkOf, SignInLinks } from '../../../console/index.ts';
import { SteadyClock } from '../../../core/time/steady-clock.ts';
import type { StartContext } from '../run-until-stopped.ts';
import { type GatewaySettings, openSurroundings, urlOf } from '../surroundings.ts';
import { welcome } from '../welcome.ts';
import { Crew, type Member } from './crew.ts';
import { CrewMetrics } from './crew-metrics.ts';
import type { ToSupervisor } from './messages.ts';

/**
 * Starts the parts that exist once, and the workers, each of which is a node on the same address. Returns the banner. This process
 * accepts connections and serves none.
 */
export async function startWorkers(config: Config, log: Logger, context: StartContext): Promise<string> {
  const { stop, onUnfit, closers } = context;
  const surroundings = await openSurroundings(config, log, context);
  stop.throwIfAborted();
  const links = new SignInLinks(new SteadyClock());
  const gateway = shareOf(surroundings.settings, config.workers);
  const { host, port, logLevel } = config;
  const crew: Crew = new Crew({
    count: config.workers,
    log,
    settingsOf: (worker) => ({ worker, host, port, logLevel, gateway }),
    onMessage: (from, message) => serve(from, message, { crew, metrics, links }),
    onEnd: (number) => metrics.ended(number),
    onReplace: () => metrics.replaced(),
    onUnfit,
  });
  const metrics = new CrewMetrics(() => crew.members());
  closers.push(() => crew.stop());
  const baseUrl = urlOf(await crew.start());
  return await welcome(config, surroundings, { baseUrl, consoleLink: () => consoleLinkOf(links), closers });
}

/** Returns the settings of one of `count` workers: it is not alone on the database, and has its share of the connections. */
function shareOf(settings: GatewaySettings, count: number): GatewaySettings {
  const { upstream, connectionsMax } = settings;
  return {
    ...settings,
    alone: false,
    connectionsMax: Math.floor(connectionsMax / count),
    upstream: { ...upstream, connectionsMax: Math.floor(upstream.connectionsMax / count) },
  };
}

/** Serves a message of a worker. */
function serve(
  from: Member,
  message: ToSupervisor,
  { crew, metrics, links }: { crew: Crew; metrics: CrewMetrics; links: SignInLinks },
): void {
  switch (message.kind) {
    case 'admitted':
      for (const member of crew.members()) {
        if (member !== from) member.send({ kind: 'admitted', requests: message.requests });
      }
      break;
    case 'metrics':
      metrics.answered(message.id, message.own);
      break;
    case 'gather_metrics':
      void metrics.gather(from, message.own).then((value) => from.send({ kind: 'answer', id: message.id, value }));
      break;
    case 'redeem_link':
      from.send({ kind: 'answer', id: message.id, value: links.redeem(message.code) });
      break;
  }
}
