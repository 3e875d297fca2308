/** Directory of the server's log, below its data directory. */
export const serverLogDirName = 'log';

/**
 * Returns the server's settings, on top of PostgreSQL's own defaults. They suit a small machine shared with the gateway and a write-heavy
 * load of short transactions, reachable from this machine only. Every committed row survives a crash, unless the data is `disposable`:
 * then nothing waits for the disk.
 */
export function serverSettings(options: {
  port: number;
  disposable: boolean;
  messageDays: number;
  connections: number;
}): Record<string, string> {
  return {
    listen_addresses: '127.0.0.1',
    port: String(options.port),
    unix_socket_directories: '',
    // Leaves room for external tools, and for broken connections that the server has not noticed yet.
    max_connections: String(Math.max(60, options.connections + 20)),
    // A statement on all messages locks the tables of every day.
    max_locks_per_transaction: String(Math.max(64, 2 * options.messageDays)),
    shared_buffers: '128MB',
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    random_page_cost: '1.1',
    // Queues are tables of short-lived rows: they are vacuumed long before a fifth of the table is dead.
    autovacuum_naptime: '15s',
    autovacuum_vacuum_scale_factor: '0.05',
    autovacuum_analyze_scale_factor: '0.05',
    default_statistics_target: '10',
    jit: 'off',
    timezone: 'UTC',
    ...logSettings,
    ...(options.disposable ? disposableSettings : durableSettings),
  };
}

const logSettings = {
  logging_collector: 'on',
  log_directory: serverLogDirName,
  log_filename: 'postgres-%Y%m%dT%H%M%S.log',
  log_file_mode: '0600',
  log_rotation_size: '10MB',
  log_rotation_age: '1d',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  // Terse leaves out the DETAIL line, which quotes the values of rows.
  log_error_verbosity: 'terse',
  log_min_messages: 'warning',
};

const durableSettings = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  checkpoint_timeout: '15min',
  checkpoint_completion_target: '0.9',
  max_wal_size: '1GB',
  // Keeps segments for reuse, so that a burst after quiet hours need not wait for new ones.
  min_wal_size: '256MB',
  // Writes of a session itself go to the disk at once. Otherwise the system writes them half a minute later, all together, and
  // commits wait behind them.
  backend_flush_after: '256kB',
};

const disposableSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Each test holds a pool, and a vacuum worker must not be in a database that is about to be cloned or dropped.
  max_connections: '200',
  autovacuum: 'off',
};
