import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { GatewayNode } from './gateway-node.ts';
import { LinkProcess } from './link-process.ts';
import { PostgresNode } from './postgres-node.ts';
import { SIMULATED_APP_SECRET, SimulatedUpstream } from './simulated-upstream.ts';

/** The system under test: two gateways, each behind its own links, their database and the upstream. */
export interface Cluster {
  gateways: readonly [GatewayNode, GatewayNode];
  postgres: PostgresNode;
  upstream: SimulatedUpstream;
  adminToken: string;
  /** Ends all processes, whatever state they are in. */
  stop(): Promise<void>;
}

/** Starts all processes on free ports, with their logs in `runDir`. Resolves when both gateways are ready. */
export async function startCluster(runDir: string): Promise<Cluster> {
  const log = pino({ level: 'warn' }, pino.destination({ dest: join(runDir, 'runner.log'), sync: true }));
  const closers: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const links = new LinkProcess();
    closers.push(() => links.stop());
    const postgres = await PostgresNode.start({ dataDir: join(runDir, 'postgres'), log });
    closers.push(() => postgres.stop());
    const ports = await freePorts(3);
    const [upstreamPort = 0, ...gatewayPorts] = ports;
    // Replaces a load balancer in front of the gateways: a webhook reaches the gateway that accepts the connection.
    const front = await links.open(gatewayPorts);
    const webhookUrl = `http://127.0.0.1:${front.port}/webhooks/upstream`;
    const upstream = new SimulatedUpstream({ port: upstreamPort, runDir, webhookUrl });
    await upstream.start();
    closers.push(() => upstream.stop());
    const secrets = {
      encryptionKey: randomBytes(32).toString('base64'),
      adminToken: randomBytes(24).toString('base64url'),
      appSecret: SIMULATED_APP_SECRET,
    };
    const startGateway = async (name: string, port: number) => {
      const databaseLink = await links.open([postgres.port]);
      const upstreamLink = await links.open([upstream.port]);
      const databaseUrl = postgres.urlThrough(databaseLink.port);
      const gateway = new GatewayNode({ name, port, runDir, databaseUrl, databaseLink, upstreamLink, secrets });
      gateway.start();
      closers.push(() => gateway.stop());
      return gateway;
    };
    const [portA = 0, portB = 0] = gatewayPorts;
    const gateways = [await startGateway('a', portA), await startGateway('b', portB)] as const;
    for (const gateway of gateways) await gateway.whenReady();
    return { gateways, postgres, upstream, adminToken: secrets.adminToken, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns free ports, all different, by listening on all of them at once and closing them together. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once('error', reject);
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address !== null ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
