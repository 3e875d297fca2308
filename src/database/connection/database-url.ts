import type pg from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';

/** One server that a database URL names, and one way to reach it: with TLS or without. */
export interface Target {
  /** `host:port`, for messages. */
  name: string;
  /**
   * Returns the driver's settings. Reads the files of certificates each time, so that renewed ones take effect.
   * @throws the file's error, or the reason why a parameter of the URL cannot be used
   */
  configure: () => pg.ClientConfig;
  /** True if the server must prove its certificate in the exchange of passwords (`channel_binding=require`). */
  requiresChannelBinding: boolean;
}

/** The scheme and the user, the servers, and the rest of a URL. */
const AUTHORITY = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;
const SHORTEST_CONNECT_TIMEOUT_S = 2;

type Way = 'tls' | 'plain';

/** The ways to connect for each `sslmode`, in the order in which libpq tries them. */
const WAYS = new Map<string, readonly Way[]>([
  ['disable', ['plain']],
  ['allow', ['plain', 'tls']],
  ['prefer', ['tls', 'plain']],
  ['require', ['tls']],
  ['no-verify', ['tls']],
  ['verify-ca', ['tls']],
  ['verify-full', ['tls']],
]);
/** Modes of which the driver's parser knows only another one with the same handshake. */
const SAME_HANDSHAKE = new Map([
  ['allow', 'prefer'],
  ['no-verify', 'require'],
]);
const CERTIFICATES = ['sslcert', 'sslkey', 'sslrootcert'];

/**
 * Returns a complete database URL; undefined if it is invalid. A bare `#` ends the address, and a bare `/` ends the host. Part of a
 * password with one of them would be looked up as a host. A database name may contain `@`, but hardly `@` and a slash.
 *
 * If `host` in the query names the directory of a Unix socket, the host before it may be empty. The URL standard forbids a user
 * without a host, so `localhost` is inserted; the driver ignores it.
 */
export function completeDatabaseUrl(text: string): string | undefined {
  const complete = /\?(.*&)?host=/.test(text) ? text.replace(/^(\w+:\/\/[^/?#]*@)(?=[:/])/, '$1localhost') : text;
  const isUsable = (url: URL | null) =>
    url !== null && url.hash === '' && !/@.*\//.test(url.pathname) && /^postgres(ql)?:$/.test(url.protocol);
  return listAuthorities(complete).every((each) => isUsable(URL.parse(each))) ? complete : undefined;
}

/** Returns the URL with `sslmode` from the environment (`PGSSLMODE`), unless it has one of its own. */
export function withSslMode(databaseUrl: string, mode: string | undefined): string {
  if (!mode || /[?&]ssl(mode)?=/.test(databaseUrl)) return databaseUrl;
  return `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}sslmode=${encodeURIComponent(mode)}`;
}

/**
 * Returns the servers of a database URL in the order in which libpq tries them. Host lists, `sslmode`, `sslrootcert=system`,
 * `channel_binding`, `connect_timeout` and `target_session_attrs` mean the same as to psql.
 */
export function listTargets(databaseUrl: string): Target[] {
  return listAuthorities(databaseUrl)
    .flatMap((each) => listHosts(new URL(each)))
    .flatMap(listWays);
}

/** The URL once for each server in its authority. URL parsers know only one server. */
function listAuthorities(databaseUrl: string): string[] {
  const [, before = '', servers = '', rest = databaseUrl] = AUTHORITY.exec(databaseUrl) ?? [];
  return servers.split(',').map((server) => before + server + rest);
}

/** The URL once for each of the hosts that `host` in its query lists. One port counts for all of them. */
function listHosts(url: URL): URL[] {
  const hosts = url.searchParams.get('host')?.split(',') ?? [];
  if (hosts.length < 2) return [url];
  const ports = url.searchParams.get('port')?.split(',') ?? [];
  return hosts.map((host, place) => {
    const each = new URL(url);
    each.searchParams.set('host', host);
    const port = ports[place] ?? ports[0];
    if (port) each.searchParams.set('port', port);
    return each;
  });
}

function listWays(url: URL): Target[] {
  const parameters = url.searchParams;
  if (parameters.get('sslrootcert') === 'system') {
    parameters.delete('sslrootcert');
    parameters.set('sslmode', 'verify-full');
  }
  const host = parameters.get('host') ?? decodeURIComponent(url.hostname).replace(/^\[(.+)\]$/, '$1');
  // `ssl` is the driver's own parameter; libpq does not know it.
  const mode = parameters.get('sslmode') ?? (parameters.has('ssl') ? 'require' : 'prefer');
  const ways = host.startsWith('/') ? (['plain'] as const) : (WAYS.get(mode) ?? (['tls'] as const));
  const name = `${host}:${parameters.get('port') ?? (url.port || '5432')}`;
  const requiresChannelBinding = parameters.get('channel_binding') === 'require';
  return ways.map((way) => ({ name, requiresChannelBinding, configure: () => configure(url, way) }));
}

function configure(url: URL, way: Way): pg.ClientConfig {
  checkParameters(url.searchParams);
  const { searchParams: parameters, href } = new URL(url);
  const own = new URL(href);
  if (way === 'plain') {
    for (const name of [...CERTIFICATES, 'ssl']) own.searchParams.delete(name);
    own.searchParams.set('sslmode', 'disable');
  } else if (!parameters.has('ssl')) {
    const mode = parameters.get('sslmode') ?? 'prefer';
    own.searchParams.set('sslmode', SAME_HANDSHAKE.get(mode) ?? mode);
  }
  const config = toClientConfig(parse(own.href, { useLibpqCompat: true }));
  const timeoutS = Number(parameters.get('connect_timeout') ?? 0);
  return {
    ...config,
    enableChannelBinding: way === 'tls' && parameters.get('channel_binding') !== 'disable',
    ...(timeoutS > 0 && { connectionTimeoutMillis: Math.max(timeoutS, SHORTEST_CONNECT_TIMEOUT_S) * 1_000 }),
  };
}

function checkParameters(parameters: URLSearchParams): void {
  const check = (name: string, values: readonly string[]) => {
    const value = parameters.get(name);
    if (value !== null && !values.includes(value)) throw new Error(`${name} must be one of ${values.join(', ')}.`);
  };
  check('sslmode', [...WAYS.keys()]);
  check('channel_binding', ['disable', 'prefer', 'require']);
  // The gateway writes, so it always looks for the server that takes writes.
  check('target_session_attrs', ['any', 'read-write', 'primary']);
}
