import { after, before } from 'node:test';
import { type FileServer, startFileServer } from './file-server.ts';
import { type Gateway, type GatewayOptions, startFurtherNode, startGateway } from './gateway.ts';
import { createTenant, type Served, type Tenant, type TenantSeed } from './tenant.ts';

/** The functions that end what a gateway's fixtures started, for each gateway. */
const ends = new WeakMap<Served, (() => Promise<void>)[]>();

/**
 * Returns the gateway of the enclosing suite, which starts before its tests and stops after them. It is empty until then, so a test may use
 * it but the suite's own body may not.
 */
export function useGateway(options: GatewayOptions = {}): Gateway {
  const gateway = fill(() => startGateway(options));
  const dependants: (() => Promise<void>)[] = [];
  ends.set(gateway, dependants);
  after(async () => {
    for (const end of dependants.reverse()) await end();
    await gateway.stop();
  });
  return gateway;
}

/** Returns a further node of the suite's gateway, which must be one of several. It stops before the gateway. */
export function useFurtherNode(first: Gateway, options?: Parameters<typeof startFurtherNode>[1]): Gateway {
  const node = fill(() => startFurtherNode(first, options));
  endBefore(first, () => node.stop());
  return node;
}

/** Returns a tenant of the suite's gateway, created before the tests. */
export function useTenant(gateway: Served, seed: TenantSeed = {}): Tenant {
  return fill(() => createTenant(gateway, seed));
}

/** Returns a file server that runs during the tests of the enclosing suite. */
export function useFileServer(host?: string): FileServer {
  const files = fill(() => startFileServer(host));
  after(() => files.close());
  return files;
}

/** Runs `end` after the suite, before its gateway stops. */
export function endBefore(gateway: Served, end: () => Promise<void>): void {
  ends.get(gateway)?.push(end);
}

/** Returns an object that gets the members of the started one before the tests of the enclosing suite. */
export function fill<T extends object>(start: () => Promise<T>): T {
  const value = {} as T;
  before(async () => {
    Object.assign(value, await start());
  });
  return value;
}
