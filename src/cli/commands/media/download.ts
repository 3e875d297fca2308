import { constants } from 'node:fs';
import { access, link, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { startProgress } from '../../terminal/progress.ts';
import { renderFields } from '../../terminal/table.ts';
import { act, addCommand } from '../command.ts';
import { harmlessName } from './harmless-name.ts';
import { countBytes, DOWNLOAD_MS_MAX, KIB } from './transfer.ts';

interface DownloadOptions {
  output?: string;
  number?: string;
  force?: boolean;
}

export function registerMediaDownload(media: Command): void {
  addCommand(media, 'download <id>', 'download a file of an upload or of a received message', [
    'fairway media download 1037543291543636',
    'fairway media download 1037543291543636 --output invoices/october.pdf --force',
  ])
    .option('--output <path>', 'file, or folder; default: the name of the file, in this folder')
    .option('--number <id>', 'number of the file, if the gateway does not know it')
    .option('--force', 'overwrite an existing file')
    .action(act(downloadFile));
}

async function downloadFile(cli: Cli, id: string, options: DownloadOptions): Promise<void> {
  const { output = '.', number, force = false } = options;
  const isFolder = await isDirectory(output);
  if (!isFolder) await refuseExisting(output, force);
  const api = await cli.tenant();
  const answer = await api.open('GET', `/v1/media/${encodeURIComponent(id)}/download`, {
    query: { phone_number_id: number },
    timeoutMs: DOWNLOAD_MS_MAX,
  });
  try {
    const path = isFolder ? join(output, harmlessName(answer.headers.get('content-disposition'), id)) : output;
    if (isFolder) await refuseExisting(path, force);
    const bytes = await store(answer, path, force, cli.signal);
    const type = answer.headers.get('content-type');
    await cli.out.result({ path, bytes, mime_type: type }, () =>
      renderFields([
        ['path', path],
        ['bytes', bytes],
        ['type', type],
      ]),
    );
  } finally {
    await answer.body?.cancel().catch(() => undefined);
  }
}

/** Stores the body of an answer under `path` when it is complete. Returns its length in bytes. */
async function store(answer: Response, path: string, isForced: boolean, signal: AbortSignal): Promise<number> {
  const draft = `${path}.${crypto.randomUUID()}.part`;
  const file = await open(draft, 'wx').catch((error: unknown) => Promise.reject(unwritable(path, error)));
  const length = Number(answer.headers.get('content-length') ?? Number.NaN);
  const progress = await startProgress('Downloaded KiB', Number.isNaN(length) ? undefined : Math.ceil(length / KIB));
  let bytes = 0;
  try {
    const counted = answer.body?.pipeThrough(
      countBytes((count) => {
        bytes = count;
        progress.show(Math.ceil(count / KIB));
      }),
    );
    if (counted === undefined) await file.close();
    else await pipeline(counted, file.createWriteStream(), { signal }).catch(failTransfer(path, signal));
    await publish(draft, path, isForced);
    return bytes;
  } finally {
    progress.stop();
    await rm(draft, { force: true });
  }
}

/** Returns the handler of a broken transfer: a full disk is one of the person's, a lost connection one of the gateway's. */
function failTransfer(path: string, signal: AbortSignal) {
  return (error: NodeJS.ErrnoException): never => {
    signal.throwIfAborted();
    if (error.syscall === 'write') throw unwritable(path, error);
    throw new CliError(EXIT.unavailable, 'The download broke off.', { hint: 'Nothing was stored.', cause: error });
  };
}

/** Gives a complete file its name. A link, unlike a renaming, fails if another file has taken the name in the meantime. */
async function publish(draft: string, path: string, isForced: boolean): Promise<void> {
  try {
    await (isForced ? rename(draft, path) : link(draft, path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw existing(path);
    throw unwritable(path, error);
  }
}

async function refuseExisting(path: string, isForced: boolean): Promise<void> {
  if (isForced) return;
  const isThere = await access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
  if (isThere) throw existing(path);
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function existing(path: string): CliError {
  return new CliError(EXIT.usage, `The file ${path} exists.`, { hint: 'Pass --force to overwrite it.' });
}

function unwritable(path: string, error: unknown): CliError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new CliError(EXIT.usage, `The file ${path} cannot be written (${code ?? message}).`, { cause: error });
}
