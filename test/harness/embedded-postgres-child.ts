import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/index.ts';

// A process that runs an embedded PostgreSQL on the given directory, prints its address in one line, and waits to be killed.
const [dataDir = '', kind] = process.argv.slice(2);
const server = await startEmbeddedPostgres({
  dataDir,
  log: pino({ level: 'silent' }),
  disposable: kind === 'disposable',
});
console.log(JSON.stringify({ connectionString: server.connectionString, pid: server.pid }));
setInterval(() => {}, 60_000);
