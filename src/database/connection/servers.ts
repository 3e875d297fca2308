import pg from 'pg';
import { sqlStateOf } from '../failures.ts';
import { listTargets, type Target } from './database-url.ts';
import { isUnreached } from './unreached.ts';

/** The driver's connection as far as it is used here; its type is not published. */
interface Wire {
  on(event: 'authenticationSASL', listener: (message: { mechanisms: string[] }) => void): void;
  on(event: string, listener: () => void): void;
  emit(event: 'error', error: Error): void;
  stream: { destroy(): void };
}

const BOUND_MECHANISM = 'SCRAM-SHA-256-PLUS';
const UNBOUND_ANSWERS = ['authenticationOk', 'authenticationCleartextPassword', 'authenticationMD5Password'];

/**
 * The servers of one database URL. Connections are opened to the server that took writes last. After a failure the next one is tried,
 * so that connections follow a failover.
 */
export class Servers {
  /** Client for one connection to the present server. A failure turns to the next server. */
  readonly Client: new (
    config?: pg.ClientConfig,
  ) => ServerClient;
  readonly #targets: readonly Target[];
  #place = 0;
  #moves = 0;

  constructor(databaseUrl: string) {
    this.#targets = listTargets(databaseUrl);
    const servers = this;
    this.Client = class extends ServerClient {
      constructor(config?: pg.ClientConfig) {
        super(servers, config);
      }
    };
  }

  /** Number of servers and ways to reach them. */
  get count(): number {
    return this.#targets.length;
  }

  get current(): Target {
    return this.#targets[this.#place] as Target;
  }

  /**
   * Runs `connect`, which opens a connection with `Client`, and again for the next server after a failure that another server may not
   * have. Each server is tried at most once. Throws the reason of the last one, unless that is only that the server has no TLS.
   */
  async reach<T>(connect: () => Promise<T>): Promise<T> {
    let reason: unknown;
    for (let tries = 1; ; tries += 1) {
      const moves = this.#moves;
      try {
        return await connect();
      } catch (error) {
        if (tries === 1 || !isWithoutTls(error)) reason = error;
        if (tries >= this.count || this.#moves === moves) throw reason;
      }
    }
  }

  /** Turns to the next server if `target` is still the present one, and another server may do without `error`. */
  leave(target: Target, error: unknown): void {
    if (target !== this.current || !isOfServer(error)) return;
    this.#place = (this.#place + 1) % this.count;
    this.#moves += 1;
  }
}

/** A client of the driver that connects to the present server of a URL. */
export class ServerClient extends pg.Client {
  readonly target: Target;
  readonly #servers: Servers;
  readonly #misconfigured: Error | undefined;

  constructor(servers: Servers, config: pg.ClientConfig = {}) {
    const target = servers.current;
    const { own, error } = configOf(target);
    const options = [own.options, config.options].filter(Boolean).join(' ');
    super({ ...config, ...own, ...(options !== '' && { options }) });
    this.target = target;
    this.#servers = servers;
    this.#misconfigured = error;
    if (target.requiresChannelBinding) this.#requireChannelBinding();
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | undefined {
    if (callback === undefined)
      return new Promise((resolve, reject) => {
        this.connect((error) => (error ? reject(error) : resolve(this)));
      });
    // Thrown here instead of by the constructor, which the pool also calls where no caller catches an error.
    if (this.#misconfigured !== undefined) {
      process.nextTick(callback, this.#misconfigured);
      return undefined;
    }
    super.connect((error: Error | null) => {
      if (error) this.failed(error);
      callback(error as Error);
    });
    return undefined;
  }

  /** Reports that the server cannot be used, and why. */
  failed(error: unknown): void {
    this.#servers.leave(this.target, error);
  }

  /** Ends the connection before a password is sent if the server does not bind it to its certificate. */
  #requireChannelBinding(): void {
    const wire = (this as unknown as { connection: Wire }).connection;
    let isBound = false;
    const refuse = () => {
      wire.stream.destroy();
      wire.emit('error', new Error('channel binding is required, but the server did not offer it'));
    };
    wire.on('authenticationSASL', ({ mechanisms }) => {
      isBound = mechanisms.includes(BOUND_MECHANISM);
      if (!isBound) refuse();
    });
    for (const event of UNBOUND_ANSWERS) wire.on(event, () => !isBound && refuse());
  }
}

/** A URL with an unusable parameter: `path` is the file that it names and that cannot be read. */
export class UnusableUrl extends Error {
  override readonly name = 'UnusableUrl';
  readonly path: string | undefined;

  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message, { cause });
    this.path = cause.path;
  }
}

function configOf(target: Target): { own: pg.ClientConfig; error?: Error } {
  try {
    return { own: target.configure() };
  } catch (error) {
    return { own: {}, error: new UnusableUrl(error as Error) };
  }
}

/** Messages of the driver about a server without TLS. */
const NO_TLS = /^The server does not support SSL connections$|^There was an error establishing an SSL connection$/;

/**
 * True if another server, or the same one with or without TLS, may do without this error. After a wrong password libpq tries no other
 * server either.
 */
function isOfServer(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state !== undefined) return /^(?:08|53|57|25006|28000)/.test(state);
  return isUnreached(error) || isWithoutTls(error) || (error instanceof Error && error.name === 'InRecovery');
}

function isWithoutTls(error: unknown): boolean {
  return error instanceof Error && NO_TLS.test(error.message);
}
