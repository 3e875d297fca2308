import { parseArgs } from 'node:util';
import { runChangeCapture } from './change-capture.ts';
import { runFailovers } from './failovers.ts';
import { runPoolers } from './poolers.ts';
import { runProxies } from './proxies.ts';

const USAGE = `npm run deployments -- NAME…   runs the gateway in a deployment of real parts, and prints accepted, sent, lost, doubled

  poolers                 PgBouncer in front of PostgreSQL
  failovers [--count N]   N failovers to a synchronous standby (20)
  lossy-failovers         the same with standbys that lag
  change-capture          a warehouse by logical replication, over midnight
  proxies                 HAProxy and nginx with the files of deploy/proxies/

They need Debian's packages postgresql-15, pgbouncer, faketime, haproxy and nginx-light.
`;

const { positionals, values } = parseArgs({ allowPositionals: true, options: { count: { type: 'string' } } });
const count = Number(values.count ?? 20);

const DEPLOYMENTS: Record<string, () => Promise<boolean>> = {
  poolers: runPoolers,
  failovers: () => runFailovers({ count, synchronous: true }),
  'lossy-failovers': () => runFailovers({ count, synchronous: false }),
  'change-capture': runChangeCapture,
  proxies: runProxies,
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
