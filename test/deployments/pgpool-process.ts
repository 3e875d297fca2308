import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../../src/embedded-postgres/find-free-port.ts';
import { awaitListening, type ProxyProcess } from './proxy-process.ts';

/** Starts Pgpool-II in front of one server, with the settings that `docs/operations.md` names. */
export async function startPgpool(dir: string, serverPort: number, documented: string): Promise<ProxyProcess> {
  const [port, controlPort] = [await findFreePort(), await findFreePort()];
  const files = {
    'pgpool.conf': `
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = '${dir}'
pcp_listen_addresses = '127.0.0.1'
pcp_port = ${controlPort}
pcp_socket_dir = '${dir}'
backend_hostname0 = '127.0.0.1'
backend_port0 = ${serverPort}
backend_weight0 = 1
backend_flag0 = 'ALLOW_TO_FAILOVER'
pid_file_name = '${dir}/pgpool.pid'
work_dir = '${dir}'
logdir = '${dir}'
${documented}`,
    'pcp.conf': '',
    'pool_hba.conf': '',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  const args = [
    '-n',
    '-D',
    '-f',
    join(dir, 'pgpool.conf'),
    '-F',
    join(dir, 'pcp.conf'),
    '-a',
    join(dir, 'pool_hba.conf'),
  ];
  const child = spawn('pgpool', args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: dir,
  });
  return await awaitListening('Pgpool-II', child, port, 'SIGINT');
}
