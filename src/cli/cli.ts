import { Api } from './api/api.ts';
import { CliError } from './cli-error.ts';
import { type Connection, chooseConnection } from './connection/choose-connection.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { EXIT } from './exit-codes.ts';
import { Output } from './terminal/output.ts';

/** Options that every command for people takes. */
export interface GlobalOptions {
  url?: string;
  profile?: string;
  json?: boolean;
}

/** The surroundings of a running command: gateway, terminal, environment and Ctrl-C. */
export class Cli {
  readonly out: Output;
  readonly env: Environment;
  readonly options: GlobalOptions;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  #connection: Promise<Connection> | undefined;

  constructor(options: GlobalOptions, signal: AbortSignal) {
    this.options = options;
    this.signal = signal;
    this.out = new Output(options.json === true);
    this.env = readEnvironment();
  }

  /** Returns the chosen gateway. */
  connection(): Promise<Connection> {
    this.#connection ??= chooseConnection(this.options, this.env);
    return this.#connection;
  }

  /** Returns the public API, called with the API key. Its requests end with `signal`, too. */
  async tenant(signal?: AbortSignal): Promise<Api> {
    const connection = await this.connection();
    if (connection.apiKey === undefined) throw missing('an API key', 'FAIRWAY_API_KEY', connection);
    return this.#api(connection, connection.apiKey, signal);
  }

  /** Returns the admin API, called with the admin token. */
  async operator(): Promise<Api> {
    const connection = await this.connection();
    if (connection.adminToken === undefined) throw missing('the admin token', 'FAIRWAY_ADMIN_TOKEN', connection);
    return this.#api(connection, connection.adminToken);
  }

  /** Returns the paths that need no credential. */
  async anyone(): Promise<Api> {
    return this.#api(await this.connection(), undefined);
  }

  #api({ url, unreachableHint }: Connection, token: string | undefined, ending?: AbortSignal): Api {
    const signal = ending === undefined ? this.signal : AbortSignal.any([this.signal, ending]);
    return new Api({ url, token, signal, unreachableHint });
  }
}

function missing(credential: string, variable: string, { source }: Connection): CliError {
  return new CliError(EXIT.unauthorized, `This command needs ${credential}, and there is none (${source}).`, {
    hint: `Run \`fairway login\`, or set ${variable}.`,
  });
}
