import { readdir, readFile } from 'node:fs/promises';

/** CPU seconds of the gateway's process and of its database. */
export interface CpuSeconds {
  gateway: number;
  database: number;
}

/** Returns the CPU seconds of a process and, separately, of all its descendants: its PostgreSQL. */
export async function cpuOf(pid: number): Promise<CpuSeconds> {
  const processes = await readProcesses();
  const gateway = processes.get(pid)?.seconds ?? 0;
  return { gateway, database: secondsBelow(processes, [pid]) - gateway };
}

/** Returns the CPU seconds of these processes and all their descendants. */
export async function totalCpuOf(pids: readonly number[]): Promise<number> {
  return secondsBelow(await readProcesses(), pids);
}

interface ProcessTimes {
  parent: number;
  seconds: number;
}

async function readProcesses(): Promise<Map<number, ProcessTimes>> {
  const processes = new Map<number, ProcessTimes>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const ticks = fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0);
    processes.set(Number(entry), { parent, seconds: ticks / 100 });
  }
  return processes;
}

function secondsBelow(processes: ReadonlyMap<number, ProcessTimes>, roots: readonly number[]): number {
  let total = 0;
  for (const [pid, { seconds }] of processes) {
    let ancestor = pid;
    while (ancestor > 1 && !roots.includes(ancestor)) ancestor = processes.get(ancestor)?.parent ?? 0;
    if (roots.includes(ancestor)) total += seconds;
  }
  return total;
}
