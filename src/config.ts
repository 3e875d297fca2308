import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { OidcSettings } from './console/index.ts';
import { completeDatabaseUrl, withSslMode } from './database/connection/database-url.ts';
import { isAddressRange } from './egress/index.ts';
import { OIDC_VARIABLES, oidcProblems, oidcSettings } from './oidc-config.ts';
import { ROLES, type Role } from './roles.ts';
import { baseUrlOf, integerOf, listOf, switchOf, timeOf, tokenOf, type Variable, variable } from './setting-readers.ts';
import { countWorkers, WORKER_CONNECTIONS_MIN } from './worker-count.ts';

/** Validated settings of this process. */
export interface Config {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Base URL for clients, without a trailing slash; `null` uses the address of each request. */
  publicUrl: string | null;
  /** True if the reference is served at `/docs`. */
  docs: boolean;
  /** Contacts for reports of vulnerabilities, as URLs, and the end of their validity; `null` serves no `security.txt`. */
  securityContact: { contacts: string[]; expires: Date } | null;
  /** Absolute path. */
  dataDir: string;
  logLevel: LogLevel;
  /** Number of processes that share the work; with 1, this process does it itself. */
  workers: number;
  database: {
    /** `null` uses the embedded PostgreSQL in `dataDir`. */
    url: string | null;
    /** Leads past the pooler to which `url` leads; `null` without a pooler. */
    directUrl: string | null;
    /** True if statements are prepared by name. */
    preparesStatements: boolean;
    /** Of all workers together. */
    connectionsMax: number;
  };
  upstream: {
    /** Graph API base URL with version, without a trailing slash; `null` uses the built-in simulator. */
    baseUrl: string | null;
    /** Of all workers together. */
    connectionsMax: number;
    appId: string | null;
    /** The configuration of sign-ups in the app dashboard. */
    signupConfigId: string | null;
    /** Secrets that may have signed a webhook; empty if none is known. */
    appSecrets: string[];
    verifyToken: string | null;
    /** True if every call must prove knowledge of the app's first secret. */
    appSecretProof: boolean;
  };
  /** Keys of 32 bytes each; the first one seals. Empty uses the key generated into `dataDir`. */
  encryptionKeys: Buffer[];
  /** `null` uses the token generated into `dataDir`. */
  adminToken: string | null;
  /** The identity provider of the console; `null` without one. */
  oidc: OidcSettings | null;
  /** Ranges in CIDR notation. */
  fetchAllowCidrs: string[];
  /** Ranges in CIDR notation. */
  trustedProxies: string[];
  /** Roles of this process. */
  roles: Role[];
  /** Age in days at which messages are dropped. */
  messageRetentionDays: number;
  /** Age in days at which received webhook payloads are dropped. */
  webhookRetentionDays: number;
  /** Age in days at which rows of the audit log are deleted. */
  auditRetentionDays: number;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** Lists all problems of the environment in one message. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['The configuration has problems:', ...problems.map((problem) => `  - ${problem}`)].join('\n'));
    this.problems = problems;
  }
}

const RANGES = 'address ranges, comma separated, e.g. 10.0.0.0/8,fd00::/8';

/** As many as there are shards of numbers: a further worker would have nothing to send. */
const WORKERS_MAX = 64;
/** Connections to PostgreSQL of a process alone, and of a worker. */
const DATABASE_CONNECTIONS = { alone: 16, worker: 8 };
/** Connections of each process to the upstream. */
const UPSTREAM_CONNECTIONS = 1024;

const DATABASE_ADDRESS = 'a postgres:// URL, with special characters of its password percent-encoded';

const VARIABLES = {
  /** Address of the public listener. */
  HOST: variable('a host name or IP address', '127.0.0.1', (text) => (/^[\w.:%-]+$/.test(text) ? text : undefined)),
  /** Port of the public listener; 0 picks a free one and prints it. */
  PORT: variable('a port from 0 to 65535', 8080, (text) => integerOf(text, 0, 65_535)),
  /** Base URL for clients, if it differs from the listener's; absolute URLs in answers begin with it. */
  PUBLIC_URL: variable<string | null>(
    'an http(s) URL without credentials, query or fragment, e.g. https://messaging.example.com',
    null,
    baseUrlOf,
  ),
  /** Reference of the API at `/docs`. */
  DOCS: variable('on or off', true, switchOf),
  /** Contacts in `/.well-known/security.txt`. */
  SECURITY_CONTACT: variable<string[]>(
    'one or more contacts, comma separated, e.g. mailto:security@example.com or https://example.com/report',
    [],
    contactsOf,
  ),
  /** End of the validity of these contacts. */
  SECURITY_EXPIRES: variable<Date | null>('a time in the form 2027-11-01T00:00:00Z', null, timeOf),
  /** PostgreSQL to use. */
  DATABASE_URL: variable<string | null>(DATABASE_ADDRESS, null, completeDatabaseUrl),
  /** The same PostgreSQL without the pooler to which DATABASE_URL leads. */
  DATABASE_DIRECT_URL: variable<string | null>(DATABASE_ADDRESS, null, completeDatabaseUrl),
  /** Statements prepared by name; off behind a pooler that does not track them. */
  DATABASE_PREPARED_STATEMENTS: variable('on or off', true, switchOf),
  /** Processes that share the work. */
  WORKERS: variable<number | 'auto'>(`auto or a number from 1 to ${WORKERS_MAX}`, 1, (text) =>
    /^auto$/i.test(text) ? 'auto' : integerOf(text, 1, WORKERS_MAX),
  ),
  /** Connections to PostgreSQL. */
  DATABASE_CONNECTIONS_MAX: variable<number | null>('a number from 4 to 500', null, (text) => integerOf(text, 4, 500)),
  /** Embedded database and generated secrets. */
  DATA_DIR: variable('a path', './data', (text) => text),
  /** Graph API base including the version. */
  UPSTREAM_BASE_URL: variable<string | null>(
    'an http(s) URL without credentials, query or fragment, e.g. https://graph.facebook.com/v24.0',
    null,
    baseUrlOf,
  ),
  /** Simultaneous connections to the upstream: about messages per second times its latency. */
  UPSTREAM_CONNECTIONS_MAX: variable<number | null>('a number from 1 to 10000', null, (text) =>
    integerOf(text, 1, 10_000),
  ),
  /** The Meta app's id, for resumable uploads. */
  UPSTREAM_APP_ID: variable<string | null>('an app id', null, (text) => (/^[\w.-]+$/.test(text) ? text : undefined)),
  /** The configuration of sign-ups in the app dashboard, for set-up links. */
  UPSTREAM_SIGNUP_CONFIG_ID: variable<string | null>('the id of a configuration', null, (text) =>
    /^\d{1,32}$/.test(text) ? text : undefined,
  ),
  /** The Meta app's secrets, which sign webhooks. */
  UPSTREAM_APP_SECRET: variable<string[]>('one or more secrets, comma separated', [], listOf),
  /** Tells if the app requires calls to prove that its secret is known. */
  UPSTREAM_APP_SECRET_PROOF: variable('on or off', false, switchOf),
  /** Token that the webhook handshake must present. */
  UPSTREAM_VERIFY_TOKEN: variable<string | null>('a token in ASCII without white space', null, tokenOf),
  /** Seals upstream tokens and webhook secrets at rest. */
  ENCRYPTION_KEY: variable<Buffer[]>(
    '32 bytes in base64 (openssl rand -base64 32), comma separated while it is changed',
    [],
    keysOf,
  ),
  /** Bearer token of the admin API. */
  ADMIN_TOKEN: variable<string | null>('a token in ASCII without white space', null, tokenOf),
  ...OIDC_VARIABLES,
  /** Private ranges that URL fetches and outbound webhooks may reach. */
  FETCH_ALLOW_CIDRS: variable<string[]>(RANGES, [], rangesOf),
  /** Reverse proxies whose forwarded headers name the client. */
  TRUSTED_PROXIES: variable<string[]>(RANGES, [], rangesOf),
  /** Roles of this process. */
  ROLES: variable<Role[]>(`one or more of ${ROLES.join(', ')}, comma separated`, [...ROLES], (text) => {
    const roles = listOf(text)?.map((name) => ROLES.find((role) => role === name.toLowerCase()));
    return roles?.every((role) => role !== undefined) ? roles : undefined;
  }),
  /** Lowest level that is logged. */
  LOG_LEVEL: variable<LogLevel>(`one of ${LOG_LEVELS.join(', ')}`, 'info', (text) =>
    LOG_LEVELS.find((level) => level === text.toLowerCase()),
  ),
  /** Days after which messages are dropped; longer than the 7 days of an Idempotency-Key, which leads to its message. */
  MESSAGE_RETENTION_DAYS: variable('a number of days from 8 to 3650', 90, (text) => integerOf(text, 8, 3650)),
  /** Days after which received webhook payloads are dropped. */
  WEBHOOK_RETENTION_DAYS: variable('a number of days from 2 to 365', 14, (text) => integerOf(text, 2, 365)),
  /** Days after which rows of the audit log are deleted. */
  AUDIT_RETENTION_DAYS: variable('a number of days from 30 to 3650', 400, (text) => integerOf(text, 30, 3650)),
};

type Values = { [Name in keyof typeof VARIABLES]: (typeof VARIABLES)[Name]['absent'] };

/** Reads the configuration of this process. Throws one ConfigError that lists every problem. */
export function readConfig(
  env: Record<string, string | undefined> = process.env,
  cores: number = availableParallelism(),
): Config {
  return toConfig(readTexts(env), env.PGSSLMODE, cores);
}

/** The known variables that are set, trimmed; an empty one counts as unset. */
function readTexts(env: Record<string, string | undefined>): Map<string, string> {
  const texts = new Map<string, string>();
  for (const name of Object.keys(VARIABLES)) {
    const text = env[name]?.trim();
    if (text) texts.set(name, text);
  }
  return texts;
}

function toConfig(texts: ReadonlyMap<string, string>, sslMode: string | undefined, cores: number): Config {
  const problems: string[] = [];
  const values = Object.fromEntries(
    Object.entries<Variable<unknown>>(VARIABLES).map(([name, { expected, absent, read }]) => {
      const text = texts.get(name);
      if (text === undefined) return [name, absent];
      if (isQuoted(text)) {
        problems.push(`${name} must not be quoted: the quotes have become a part of its value.`);
        return [name, absent];
      }
      const value = read(text);
      if (value === undefined) problems.push(`${name} must be ${expected}.`);
      return [name, value];
    }),
  ) as Values;
  if (texts.has('DATABASE_URL') && !texts.has('ENCRYPTION_KEY')) {
    problems.push(
      `ENCRYPTION_KEY must be set when DATABASE_URL is, to ${VARIABLES.ENCRYPTION_KEY.expected}: stored secrets can only be ` +
        'opened with the key that sealed them.',
    );
  }
  if (texts.has('DATABASE_DIRECT_URL') && !texts.has('DATABASE_URL')) {
    problems.push('DATABASE_URL must be set when DATABASE_DIRECT_URL is: to the pooler, or to the same address.');
  }
  // An invalid variable has no value and is already reported.
  if (values.UPSTREAM_APP_SECRET_PROOF && !texts.has('UPSTREAM_APP_SECRET') && texts.has('UPSTREAM_BASE_URL')) {
    problems.push(
      'UPSTREAM_APP_SECRET must be set when UPSTREAM_APP_SECRET_PROOF is on: calls prove that they know this secret.',
    );
  }
  if (values.ROLES?.includes('api') === false && !texts.has('UPSTREAM_BASE_URL')) {
    problems.push(
      'UPSTREAM_BASE_URL must be set when ROLES leaves out api: the simulated platform is set up through the API.',
    );
  }
  if (texts.has('SECURITY_CONTACT') !== texts.has('SECURITY_EXPIRES')) {
    problems.push('SECURITY_CONTACT and SECURITY_EXPIRES must be set together: security.txt needs both.');
  }
  problems.push(...oidcProblems(texts));
  const { DATABASE_CONNECTIONS_MAX: databaseConnections, UPSTREAM_CONNECTIONS_MAX: upstreamConnections } = values;
  const isEmbedded = !texts.has('DATABASE_URL');
  const workers = countWorkers(values.WORKERS ?? 1, { cores, isEmbedded, connectionsMax: databaseConnections });
  for (const [name, total, least] of [
    ['DATABASE_CONNECTIONS_MAX', databaseConnections, WORKER_CONNECTIONS_MIN],
    ['UPSTREAM_CONNECTIONS_MAX', upstreamConnections, 1],
  ] as const) {
    if (total !== null && total !== undefined && total < workers * least)
      problems.push(`${name} must be at least ${workers * least}: ${least} for each of the ${workers} workers.`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const eachDatabase = workers === 1 ? DATABASE_CONNECTIONS.alone : DATABASE_CONNECTIONS.worker;
  return {
    host: values.HOST,
    port: values.PORT,
    publicUrl: values.PUBLIC_URL,
    docs: values.DOCS,
    securityContact:
      values.SECURITY_EXPIRES === null ? null : { contacts: values.SECURITY_CONTACT, expires: values.SECURITY_EXPIRES },
    dataDir: resolve(values.DATA_DIR),
    logLevel: values.LOG_LEVEL,
    workers,
    database: {
      url: values.DATABASE_URL && withSslMode(values.DATABASE_URL, sslMode),
      directUrl: values.DATABASE_DIRECT_URL && withSslMode(values.DATABASE_DIRECT_URL, sslMode),
      preparesStatements: values.DATABASE_PREPARED_STATEMENTS,
      connectionsMax: databaseConnections ?? workers * eachDatabase,
    },
    upstream: {
      baseUrl: values.UPSTREAM_BASE_URL,
      connectionsMax: upstreamConnections ?? workers * UPSTREAM_CONNECTIONS,
      appId: values.UPSTREAM_APP_ID,
      signupConfigId: values.UPSTREAM_SIGNUP_CONFIG_ID,
      appSecrets: values.UPSTREAM_APP_SECRET,
      verifyToken: values.UPSTREAM_VERIFY_TOKEN,
      appSecretProof: values.UPSTREAM_APP_SECRET_PROOF,
    },
    encryptionKeys: values.ENCRYPTION_KEY,
    adminToken: values.ADMIN_TOKEN,
    oidc: oidcSettings(values),
    fetchAllowCidrs: values.FETCH_ALLOW_CIDRS,
    trustedProxies: values.TRUSTED_PROXIES,
    roles: values.ROLES,
    messageRetentionDays: values.MESSAGE_RETENTION_DAYS,
    webhookRetentionDays: values.WEBHOOK_RETENTION_DAYS,
    auditRetentionDays: values.AUDIT_RETENTION_DAYS,
  };
}

/** True for a quoted value, as left by `docker run --env-file` and other tools without a shell. A quoted secret would fail much later. */
function isQuoted(text: string): boolean {
  return /^(["']).*\1$/s.test(text);
}

function rangesOf(text: string): string[] | undefined {
  const ranges = listOf(text);
  return ranges?.every(isAddressRange) ? ranges : undefined;
}

/** Accepts contacts as RFC 9116 has them. */
function contactsOf(text: string): string[] | undefined {
  const contacts = listOf(text);
  return contacts?.every((one) => /^(?:mailto:|tel:|https:\/\/)[\x21-\x7e]+$/.test(one)) ? contacts : undefined;
}

function keysOf(text: string): Buffer[] | undefined {
  const keys = listOf(text);
  return keys?.every((key) => /^[A-Za-z0-9+/_-]{43}=?$/.test(key))
    ? keys.map((key) => Buffer.from(key, 'base64'))
    : undefined;
}
