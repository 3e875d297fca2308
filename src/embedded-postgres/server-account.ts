import { execFile } from 'node:child_process';
import { lchown, readdir, readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { copyBinaries } from './copy-binaries.ts';
import type { ServerBinaries } from './server-binaries.ts';

const run = promisify(execFile);

/** Account that runs the server's programs. */
export interface ServerAccount {
  binaries: ServerBinaries;
  /** Command that switches to the account; a program and its arguments follow it. */
  prefix: string[];
  /** Required owner of the data files, as this process sees it; null if this process's own user is right. */
  owner: { uid: number; gid: number } | null;
  /**
   * True if the account may be unable to traverse the path to the data directory. The programs then reach it through an inherited
   * descriptor, so that no parent directory has to be opened to them.
   */
  dataDirByDescriptor: boolean;
}

interface User {
  name: string;
  uid: number;
  gid: number;
}

/**
 * Chooses an account that PostgreSQL accepts: it refuses root, and users without a name. Such a process runs PostgreSQL in a user
 * namespace in which it appears as an ordinary user. If namespaces are refused, root runs it as an unprivileged user. If the data belongs
 * to another user, root runs it as that user, which can start on the data afterwards as before.
 * Throws an error that says what to do if neither works.
 */
export async function chooseServerAccount(
  deps: { log: Logger },
  binaries: ServerBinaries,
  dataDir: string,
): Promise<ServerAccount> {
  const uid = process.getuid?.();
  const gid = process.getgid?.();
  if (uid === undefined || gid === undefined) {
    throw new Error('The embedded PostgreSQL runs on Linux and macOS only. Set DATABASE_URL to a PostgreSQL server.');
  }
  if (uid !== 0 && hasName()) return { binaries, prefix: [], owner: null, dataDirByDescriptor: false };

  const users = process.platform === 'linux' ? await readUsers() : [];
  const { uid: ownerUid } = await stat(dataDir);
  const dataOwner = users.find((entry) => entry.uid === ownerUid);
  if (uid === 0 && ownerUid !== 0 && dataOwner !== undefined) {
    const account = await accountOf(deps, dataOwner, binaries);
    if (account !== null) return account;
  }
  const user = users.find(({ name }) => name === 'postgres') ?? users.find(({ name }) => name === 'nobody');
  if (user !== undefined) {
    const namespace = ['unshare', '--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`];
    if (await works(namespace, binaries)) {
      return { binaries, prefix: namespace, owner: { uid, gid }, dataDirByDescriptor: false };
    }
    const account = uid === 0 ? await accountOf(deps, user, binaries) : null;
    if (account !== null) return account;
  }
  throw new Error(
    `PostgreSQL refuses to run as ${uid === 0 ? 'root' : `user id ${uid}, which has no name on this system`}, and ` +
      'neither a user namespace (unshare) nor an unprivileged user (setpriv) is available to run it. ' +
      'Start Fairway as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
  );
}

/** The account of `user`, which root can switch to; null if the server's programs do not run under it. */
async function accountOf(deps: { log: Logger }, user: User, binaries: ServerBinaries): Promise<ServerAccount | null> {
  const prefix = ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  for await (const candidate of reachableCandidates(binaries)) {
    if (await works(prefix, candidate)) {
      deps.log.info({ uid: user.uid, binaries: candidate.rootDir }, 'PostgreSQL runs as an unprivileged user');
      return { binaries: candidate, prefix, owner: user, dataDirByDescriptor: true };
    }
  }
  return null;
}

/** Makes the account the owner of everything in `dir`, as needed after runs under another account. */
export async function giveTo(account: ServerAccount, dir: string): Promise<void> {
  const { owner } = account;
  if (owner === null || (await stat(dir)).uid === owner.uid) return;
  for (const entry of await readdir(dir, { recursive: true })) await lchown(join(dir, entry), owner.uid, owner.gid);
  // Last, because the owner of the directory shows that the work is complete.
  await lchown(dir, owner.uid, owner.gid);
}

/** Yields the installed binaries, and then a copy in a directory the user can reach, in case it cannot reach the first. */
async function* reachableCandidates(binaries: ServerBinaries): AsyncGenerator<ServerBinaries> {
  yield binaries;
  const copy = await copyBinaries(binaries);
  if (copy !== null) yield copy;
}

async function works(prefix: string[], binaries: ServerBinaries): Promise<boolean> {
  const [command = binaries.postgres, ...args] = [...prefix, binaries.postgres, '--version'];
  return run(command, args).then(
    () => true,
    () => false,
  );
}

function hasName(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

async function readUsers(): Promise<User[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  return lines.map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
