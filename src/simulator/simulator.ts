import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../core/time/clock.ts';
import { createWorldControl, type WorldControl } from './control/world-control.ts';
import { createPlatform, type PlatformOptions } from './create-platform.ts';
import { createSimulatorServer } from './server.ts';

/** Listen backlog. Gateways open as many connections at once as they have messages to send, more than Node's default backlog holds. */
const CONNECTING_MAX = 10_000;

export interface SimulatorOptions extends Omit<PlatformOptions, 'clock'> {
  /** Default `127.0.0.1`. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Path of a Unix socket to listen on, instead of `host` and `port`. */
  socketPath?: string;
  /** For windows, limits, expiry and latencies; default: the system's. */
  clock?: Clock;
}

export interface Simulator {
  /** Graph API base including a version, `http://host:port/v24.0`; of a Unix socket `http://localhost/v24.0`. */
  readonly baseUrl: string;
  /** `http://host:port`, for the control API under `/_sim`. */
  readonly origin: string;
  /** 0 on a Unix socket. */
  readonly port: number;
  /** Controls in process: the functions of the control API and more. */
  readonly world: WorldControl;
  /** Stops listening, drops scheduled actions and deletes stored media. */
  close(): Promise<void>;
}

/** Starts a simulated WhatsApp Cloud API without accounts. Resolves once it listens. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, socketPath, clock = systemClock, ...platformOptions } = options;
  const platform = createPlatform({ ...platformOptions, clock });
  const app = await createSimulatorServer(platform);
  const place = socketPath === undefined ? { host, port } : { path: socketPath };
  await app.listen({ ...place, backlog: CONNECTING_MAX });
  const address = app.server.address() as AddressInfo | string;
  platform.origin = originOf(address);
  return {
    baseUrl: `${platform.origin}/v24.0`,
    origin: platform.origin,
    port: typeof address === 'string' ? 0 : address.port,
    world: createWorldControl(platform),
    async close() {
      platform.agenda.clear();
      await app.close();
      await platform.webhooks.close();
      await platform.media.close();
    },
  };
}

function originOf(address: AddressInfo | string): string {
  if (typeof address === 'string') return 'http://localhost';
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
