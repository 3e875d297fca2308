import { readdir, readFile } from 'node:fs/promises';

/** CPU seconds of the gateway's processes and of its database. */
export interface CpuSeconds {
  gateway: number;
  database: number;
}

/** Returns the CPU seconds of a gateway with all its descendants: its workers, and, separately, its PostgreSQL. */
export async function cpuOf(pid: number): Promise<CpuSeconds> {
  const processes = await readProcesses();
  const used = { gateway: 0, database: 0 };
  for (const { name, seconds } of withDescendants(processes, [pid])) {
    used[name === 'postgres' ? 'database' : 'gateway'] += seconds;
  }
  return used;
}

/** Returns the CPU seconds of these processes and all their descendants. */
export async function totalCpuOf(pids: readonly number[]): Promise<number> {
  return withDescendants(await readProcesses(), pids).reduce((sum, { seconds }) => sum + seconds, 0);
}

interface ProcessTimes {
  name: string;
  parent: number;
  seconds: number;
}

async function readProcesses(): Promise<Map<number, ProcessTimes>> {
  const processes = new Map<number, ProcessTimes>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    const nameEnd = stat.lastIndexOf(')');
    const name = stat.slice(stat.indexOf('(') + 1, nameEnd);
    const fields = stat
      .slice(nameEnd + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const ticks = fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0);
    processes.set(Number(entry), { name, parent, seconds: ticks / 100 });
  }
  return processes;
}

function withDescendants(processes: ReadonlyMap<number, ProcessTimes>, roots: readonly number[]): ProcessTimes[] {
  return [...processes].flatMap(([pid, times]) => {
    let ancestor = pid;
    while (ancestor > 1 && !roots.includes(ancestor)) ancestor = processes.get(ancestor)?.parent ?? 0;
    return roots.includes(ancestor) ? [times] : [];
  });
}
