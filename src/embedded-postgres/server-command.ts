import { spawn } from 'node:child_process';
import { constants, type FileHandle, open } from 'node:fs/promises';
import type { ServerAccount } from './server-account.ts';

/** The descriptor number under which a server program inherits its data directory. */
const dataDirDescriptor = 4;

/** Opens the data directory for a child to inherit as `dataDirDescriptor`. */
export function openDataDir(dir: string): Promise<FileHandle> {
  return open(dir, constants.O_RDONLY | constants.O_DIRECTORY);
}

/** Path of the data directory `dir` for a program that runs under `account`. */
export function dataDirPath(account: ServerAccount, dir: string): string {
  return account.dataDirByDescriptor ? `/proc/self/fd/${dataDirDescriptor}` : dir;
}

/** The complete environment of server programs. The gateway's own environment holds secrets that they must not see. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

interface ServerCommand {
  account: ServerAccount;
  program: 'initdb' | 'postgres';
  args: string[];
  dataDir: string;
  input?: string;
  /** Ends the program. */
  stop?: AbortSignal | undefined;
}

/** Runs a server program to its end. Throws an error with the end of its output if it fails, and rejects when `stop` aborts. */
export async function runServerCommand(options: ServerCommand): Promise<void> {
  const { account, program, args, dataDir, input = '', stop } = options;
  stop?.throwIfAborted();
  const dir = await openDataDir(dataDir);
  try {
    const [command = program, ...rest] = [...account.prefix, account.binaries[program], ...args];
    const child = spawn(command, rest, {
      cwd: '/',
      env: serverEnvironment(),
      stdio: ['pipe', 'ignore', 'pipe', 'ignore', dir.fd],
    });
    let lastWords = '';
    child.stderr?.on('data', (chunk) => {
      lastWords = (lastWords + chunk).slice(-2_000);
    });
    // A program that fails before it reads is reported by its exit status, not by the broken pipe.
    child.stdin?.on('error', () => {}).end(input);
    const ended = Promise.withResolvers<number | string | null>();
    child.once('error', ended.reject);
    child.once('close', (code, signal) => ended.resolve(code ?? signal));
    const kill = () => void child.kill();
    stop?.addEventListener('abort', kill, { once: true });
    const outcome = await ended.promise.finally(() => stop?.removeEventListener('abort', kill));
    stop?.throwIfAborted();
    if (outcome !== 0) throw new Error(`${program} failed (${outcome}): ${lastWords.trim()}`);
  } finally {
    await dir.close();
  }
}
