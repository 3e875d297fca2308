import { parseArgs } from 'node:util';
import { runChangeCapture } from './change-capture.ts';
import { runFailovers } from './failovers.ts';
import { runPgpool } from './pgpool.ts';
import { runPoolers } from './poolers.ts';
import { runProxies } from './proxies.ts';
import { runRecovery } from './recovery.ts';
import { runDumps, runPgUpgrades } from './upgrades.ts';

const USAGE = `npm run deployments -- NAME…   runs the gateway in a deployment of real parts, and prints accepted, sent, lost, doubled

  poolers                 PgBouncer in front of PostgreSQL
  pgpool                  Pgpool-II in front of PostgreSQL
  failovers [--count N]   N failovers to a synchronous standby (20)
  proxied-failovers       the same behind HAProxy, which asks the servers for the primary
  lossy-failovers         the same with standbys that lag
  change-capture          a warehouse by logical replication, over midnight
  proxies                 HAProxy and nginx with the files of deploy/proxies/
  dumps                   dump and restore into other versions and another locale
  recovery                a restore to a moment from a base backup and the archived log, under load
  pg-upgrades             pg_upgrade from PostgreSQL 15 to each newer version in /usr/lib/postgresql

They need Debian's packages postgresql-15, pgbouncer, pgpool2, faketime, haproxy and nginx-light. dumps and pg-upgrades use each newer version
in /usr/lib/postgresql as well (Debian 13 has postgresql-17); TEST_LOCALE is the locale of the copies.
`;

const { positionals, values } = parseArgs({ allowPositionals: true, options: { count: { type: 'string' } } });
const count = Number(values.count ?? 20);

const DEPLOYMENTS: Record<string, () => Promise<boolean>> = {
  poolers: runPoolers,
  pgpool: runPgpool,
  failovers: () => runFailovers({ count, synchronous: true }),
  'proxied-failovers': () => runFailovers({ count, synchronous: true, proxied: true }),
  'lossy-failovers': () => runFailovers({ count, synchronous: false }),
  'change-capture': runChangeCapture,
  proxies: runProxies,
  dumps: runDumps,
  recovery: runRecovery,
  'pg-upgrades': runPgUpgrades,
};

if (positionals.length === 0 || positionals.some((name) => DEPLOYMENTS[name] === undefined)) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  for (const name of positionals) {
    const isKept = await DEPLOYMENTS[name]?.();
    console.log(`${name}: ${isKept ? 'every promise kept' : 'A PROMISE WAS BROKEN'}`);
    if (!isKept) process.exitCode = 1;
  }
}
