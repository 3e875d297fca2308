import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import type { Clock } from '../core/time/clock.ts';
import type { AddressPolicy } from './address-policy.ts';
import { EgressError } from './egress-failure.ts';
import type { ResolveHost } from './resolve-host.ts';
import type { VettedUrl } from './url-policy.ts';

/** Starts a TCP connection to one of the given addresses, never to another one, and returns its socket at once. */
export type Dial = (target: { hostname: string; addresses: readonly string[]; port: number }) => Socket;

export interface ConnectionDeps {
  addresses: AddressPolicy;
  resolveHost: ResolveHost;
  dial: Dial;
  clock: Clock;
  limits: { dnsTimeoutMs: number; connectTimeoutMs: number; tlsTimeoutMs: number };
  /** PEM certificates to trust instead of the built-in authorities. */
  tlsCa?: string | undefined;
}

/**
 * Returns the connector that the HTTP client must use for `vetted`. Each connection passes the whole guard again: the name may resolve
 * differently by then, and a literal address is never looked up.
 */
export function createGuardedConnector(deps: ConnectionDeps, vetted: VettedUrl): buildConnector.connector {
  return (_options, callback) => {
    openConnection(deps, vetted).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new EgressError('connect', error), null),
    );
  };
}

/**
 * Opens a connection to a vetted address of the URL's host. Resolves the name, vets every address, connects to one of exactly those,
 * checks the address that answered, and only then starts TLS in the host's name.
 * @throws EgressError `dns`, `blocked`, `connect`, `tls` or `timeout`.
 */
async function openConnection(deps: ConnectionDeps, vetted: VettedUrl): Promise<Socket> {
  const { clock, limits } = deps;
  const { hostname, port } = vetted;
  const found = await resolveAddresses(deps, hostname);
  // localhost has an address of each family, and the operator may have allowed only one of them.
  const addresses = hostname === 'localhost' ? found.filter((a) => isOpen(deps.addresses, vetted, a)) : found;
  const allOpen = addresses.length > 0 && addresses.every((address) => isOpen(deps.addresses, vetted, address));
  if (!allOpen) throw new EgressError('blocked');

  const socket = deps.dial({ hostname, addresses, port });
  await whenReady(clock, socket, { event: 'connect', timeoutMs: limits.connectTimeoutMs, failure: 'connect' });
  const { remoteAddress } = socket;
  if (remoteAddress === undefined) throw new EgressError('connect');
  if (!isOpen(deps.addresses, vetted, remoteAddress)) {
    socket.destroy();
    throw new EgressError('blocked');
  }
  socket.setNoDelay(true).setKeepAlive(true, 30_000);
  if (vetted.url.protocol === 'http:') return socket;

  const secured = connectTls({
    socket,
    host: hostname,
    servername: isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : '',
    ALPNProtocols: ['http/1.1'],
    ...(deps.tlsCa === undefined ? {} : { ca: deps.tlsCa }),
  });
  await whenReady(clock, secured, { event: 'secureConnect', timeoutMs: limits.tlsTimeoutMs, failure: 'tls' });
  return secured;
}

/** Dials over plain TCP. Several addresses are tried in turn, through a look-up that returns only these. */
export const dialTcp: Dial = ({ hostname, addresses, port }) => {
  const [first, ...others] = addresses;
  if (first !== undefined && others.length === 0) return connectTcp({ host: first, port });
  const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
  return connectTcp({
    host: hostname,
    port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 500,
    lookup: (_hostname, _options, callback) => callback(null, pinned),
  });
};

async function resolveAddresses(deps: ConnectionDeps, hostname: string): Promise<readonly string[]> {
  if (isIP(hostname) !== 0) return [hostname];
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const cancel = deps.clock.schedule(deps.limits.dnsTimeoutMs, () => reject(new EgressError('dns')));
  try {
    const addresses = await Promise.race([deps.resolveHost(hostname), tooLate]);
    if (addresses.length > 0) return addresses;
  } catch (error) {
    throw new EgressError('dns', error);
  } finally {
    cancel();
  }
  throw new EgressError('dns');
}

function isOpen(policy: AddressPolicy, vetted: VettedUrl, address: string): boolean {
  const standing = policy.judge(address);
  return standing === 'allowed' || (standing === 'public' && !vetted.allowListedOnly);
}

function whenReady(
  clock: Clock,
  socket: Socket,
  wait: { event: 'connect' | 'secureConnect'; timeoutMs: number; failure: 'connect' | 'tls' },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(wait.timeoutMs, () => fail(new EgressError('timeout')));
    const fail = (error: EgressError) => {
      cancel();
      socket.destroy();
      reject(error);
    };
    socket.once(wait.event, () => {
      cancel();
      socket.off('close', onClose);
      resolve();
    });
    const onClose = () => fail(new EgressError(wait.failure));
    socket.once('close', onClose);
    // Never removed: an error between this moment and the HTTP client's own listener must not end the process.
    socket.on('error', (error) => fail(new EgressError(wait.failure, error)));
  });
}
