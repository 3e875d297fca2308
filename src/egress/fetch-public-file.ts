import { isUtf8 } from 'node:buffer';
import { Client, type Dispatcher } from 'undici';
import { UNSPECIFIC_TYPES } from '../core/unspecific-types.ts';
import type { Spool, SpooledFile } from '../spool/index.ts';
import { sendUninstrumented } from '../telemetry/index.ts';
import { boundAnswers } from './bounded-answers.ts';
import type { Deadline, Deadlines } from './deadline.ts';
import { classifyFailure, EgressError, type EgressFailure, failureOfRefusal } from './egress-failure.ts';
import { type ConnectionDeps, createGuardedConnector } from './open-connection.ts';
import { type UrlPolicy, type VettedUrl, vetUrl } from './url-policy.ts';
import { USER_AGENT } from './user-agent.ts';

export interface FetchFileOptions {
  /** Stores the file. */
  spool: Spool;
  bytesMax: number;
  /** MIME types to accept, `image/*` for a whole family. A file that declares no specific type is accepted, too. */
  acceptTypes: readonly string[];
  /** Time limit from the first look-up to the last byte, redirects included. */
  totalTimeoutMs: number;
  signal: AbortSignal;
}

export type FetchFileOutcome =
  /** `file` is never empty. The caller disposes of it. */
  { kind: 'ok'; file: SpooledFile } | Failed;

interface Failed {
  kind: 'failed';
  reason: EgressFailure;
}

export interface FetchFileDeps {
  urls: UrlPolicy;
  connections: ConnectionDeps;
  limits: { headersTimeoutMs: number; headerBytesMax: number; redirectsMax: number };
  deadlines: Deadlines;
}

type HopOutcome = FetchFileOutcome | { kind: 'redirect'; location: string };

/** Bytes allowed around a file, mostly chunk sizes, as a multiple of `bytesMax`. */
const ENVELOPE_SHARE = 1;

const REDIRECT_STATUSES = [301, 302, 303, 307, 308];

/**
 * Downloads a file from a URL that another party chose.
 * Every hop is vetted like the first one; credentials and cookies are never sent.
 */
export async function fetchPublicFile(
  deps: FetchFileDeps,
  address: string,
  options: FetchFileOptions,
): Promise<FetchFileOutcome> {
  const { deadlines, limits } = deps;
  const deadline = deadlines.start(options.totalTimeoutMs, options.signal);
  try {
    let previous: URL | undefined;
    let target = address;
    for (let redirects = 0; redirects <= limits.redirectsMax; redirects += 1) {
      const vetted = vetUrl(deps.urls, target, { httpsOnly: false });
      if (vetted.kind === 'refused') return failed(failureOfRefusal(vetted.reason));
      if (previous?.protocol === 'https:' && vetted.url.protocol === 'http:') return failed('redirect');
      const outcome = await fetchHop(deps, vetted, options, deadline);
      if (outcome.kind !== 'redirect') return outcome;
      previous = vetted.url;
      target = URL.parse(outcome.location, previous.href)?.href ?? outcome.location;
    }
    return failed('redirect');
  } catch (error) {
    return failed(classifyFailure(error));
  } finally {
    deadline.end();
  }
}

async function fetchHop(
  deps: FetchFileDeps,
  vetted: VettedUrl,
  options: FetchFileOptions,
  deadline: Deadline,
): Promise<HopOutcome> {
  deadline.signal.throwIfAborted();
  const { url } = vetted;
  const { headerBytesMax } = deps.limits;
  const client = new Client(url.origin, {
    connect: boundAnswers(
      createGuardedConnector(deps.connections, vetted),
      headerBytesMax + options.bytesMax * (1 + ENVELOPE_SHARE),
    ),
    allowH2: false,
    maxHeaderSize: headerBytesMax,
    headersTimeout: deps.limits.headersTimeoutMs,
    bodyTimeout: 0,
  });
  try {
    const request = sendUninstrumented(() =>
      client.request({
        method: 'GET',
        path: `${url.pathname}${url.search}`,
        headers: {
          accept: options.acceptTypes.join(', '),
          // The gateway never decompresses, so a decompression bomb has no effect.
          'accept-encoding': 'identity',
          'user-agent': USER_AGENT,
        },
        signal: deadline.signal,
      }),
    );
    const response = await deadline.race(request);
    const refusal = judgeHeaders(response, options);
    if (refusal !== undefined) {
      // `destroy` is an error to the body's stream, and without a listener it would end the process.
      response.body.on('error', () => {}).destroy();
      return refusal;
    }
    return await receiveFile(response, options);
  } finally {
    await client.destroy();
  }
}

/** Judges by status and headers alone; undefined if the body is wanted. */
function judgeHeaders(response: Dispatcher.ResponseData, options: FetchFileOptions): HopOutcome | undefined {
  const { statusCode: status } = response;
  const location = readLocation(response);
  if (REDIRECT_STATUSES.includes(status) && location !== undefined) return { kind: 'redirect', location };
  if (status !== 200) return failed('http_status');
  if ((readHeader(response, 'content-encoding') ?? 'identity').toLowerCase() !== 'identity') return failed('type');
  const contentType = readContentType(response);
  if (contentType !== undefined && !isAccepted(contentType, options.acceptTypes)) return failed('type');
  if (Number(readHeader(response, 'content-length') ?? 0) > options.bytesMax) return failed('too_large');
  return undefined;
}

async function receiveFile(
  response: Dispatcher.ResponseData,
  { spool, bytesMax }: FetchFileOptions,
): Promise<FetchFileOutcome> {
  const file = await spool.receive(upTo(bytesMax, response.body), bytesMax);
  if (file.bytes === 0) {
    await file[Symbol.asyncDispose]();
    return failed('empty');
  }
  return { kind: 'ok', file };
}

/** Passes `source` on, and throws `too_large` at the first chunk that exceeds `bytesMax`. */
async function* upTo(bytesMax: number, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new EgressError('too_large');
    yield chunk;
  }
}

function readContentType(response: Dispatcher.ResponseData): string | undefined {
  const essence = readHeader(response, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  return essence === undefined || essence === '' || UNSPECIFIC_TYPES.includes(essence) ? undefined : essence;
}

function isAccepted(contentType: string, acceptTypes: readonly string[]): boolean {
  const family = `${contentType.split('/')[0]}/*`;
  return acceptTypes.includes(contentType) || acceptTypes.includes(family);
}

/** Reads `Location`. Header values arrive as Latin-1, but servers write unescaped addresses as UTF-8 bytes. */
function readLocation(response: Dispatcher.ResponseData): string | undefined {
  const value = readHeader(response, 'location');
  const bytes = Buffer.from(value ?? '', 'latin1');
  return value !== undefined && isUtf8(bytes) ? bytes.toString('utf8') : value;
}

function readHeader(response: Dispatcher.ResponseData, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function failed(reason: EgressFailure): Failed {
  return { kind: 'failed', reason };
}
