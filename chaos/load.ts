import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientRecord, LoadPlan } from './load-plan.ts';

/** The load client's process, controlled by the runner. */
export class Load {
  readonly #child: ChildProcess;
  readonly #recordFile: string;

  constructor(plan: LoadPlan) {
    this.#recordFile = plan.recordFile;
    this.#child = fork(join(import.meta.dirname, 'load-client.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child.send(plan);
  }

  /** Ends the load. Resolves with the record of every message once each has been answered or given up. */
  async finish(): Promise<ClientRecord[]> {
    const exited = once(this.#child, 'exit');
    this.#child.send('stop');
    const [code] = (await exited) as [number | null];
    if (code !== 0) throw new Error(`the load client ended with ${code}`);
    const lines = (await readFile(this.#recordFile, 'utf8')).split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as ClientRecord);
  }

  /** Kills the process. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
