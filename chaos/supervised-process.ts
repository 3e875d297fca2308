import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

export interface SupervisedProcessOptions {
  /** Arguments for this Node executable. */
  args: string[];
  env: Record<string, string>;
  /** File that receives the output of all runs. */
  logFile: string;
  /** Lowers the process's priority. Without this, the referee would wait for the processor behind the processes that it times. */
  isNice?: boolean;
}

const RESTART_MS = 100;
const STOP_MS_MAX = 16_000;

/** A process that is restarted whenever it ends unasked, as an init system would. Dispose it with `stop()`. */
export class SupervisedProcess {
  readonly #options: SupervisedProcessOptions;
  readonly #logFd: number;
  #child: ChildProcess | undefined;
  #wanted = false;
  #supervision: Promise<void> = Promise.resolve();

  constructor(options: SupervisedProcessOptions) {
    this.#options = options;
    this.#logFd = openSync(options.logFile, 'a');
  }

  start(): void {
    this.#wanted = true;
    process.once('exit', this.#killChild);
    this.#supervision = this.#supervise();
  }

  /** Sends a signal to the process, if it runs. */
  signal(signal: NodeJS.Signals): void {
    if (this.#child !== undefined && this.#child.exitCode === null) this.#child.kill(signal);
  }

  /** Resolves with the exit code of the current run; null if a signal ended it. */
  async exited(): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  }

  /** Ends the process for good: SIGTERM, then SIGKILL if it is still running. */
  async stop(): Promise<void> {
    this.#wanted = false;
    this.signal('SIGCONT');
    this.signal('SIGTERM');
    const late = delay(STOP_MS_MAX, undefined, { ref: false }).then(() => this.signal('SIGKILL'));
    await Promise.race([this.#supervision, late.then(() => this.#supervision)]);
    process.off('exit', this.#killChild);
  }

  readonly #killChild = () => this.signal('SIGKILL');

  async #supervise(): Promise<void> {
    while (this.#wanted) {
      const { args, env, isNice } = this.#options;
      this.#child = spawn(process.execPath, args, { env, stdio: ['ignore', this.#logFd, this.#logFd] });
      if (isNice && this.#child.pid !== undefined)
        setPriority(this.#child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
      await once(this.#child, 'exit');
      if (this.#wanted) await delay(RESTART_MS);
    }
  }
}
