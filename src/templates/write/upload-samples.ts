import { AppError, unavailable } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import { type Egress, type EgressFailure, failureOfRefusal } from '../../egress/index.ts';
import type { Spool } from '../../spool/index.ts';
import type { Upstream } from '../../upstream/index.ts';
import { upstreamError } from '../upstream-error.ts';
import type { SampleGate } from './sample-gate.ts';
import { mergeKinds, type SampleKind, type SampleMedia, type SampleType, spellPath } from './sample-media.ts';
import { SAMPLE_HEAD_BYTES, sampleTypeOf } from './sample-type.ts';

export interface SampleDeps {
  clock: Clock;
  egress: Pick<Egress, 'checkUrl' | 'fetchPublicFile'>;
  upstream: Pick<Upstream, 'uploadSample'>;
  spool: Spool;
  gate: SampleGate;
}

/** One URL, its first place, and the allowed kind of file. */
interface Wanted {
  url: string;
  place: string;
  kind: SampleKind;
}

const FETCH_TIMEOUT_MS = 20_000;

const FILE_NAMES: Record<SampleType, string> = {
  'image/jpeg': 'sample.jpg',
  'image/png': 'sample.png',
  'video/mp4': 'sample.mp4',
  'application/pdf': 'sample.pdf',
};

/** Content types that a server may declare for each type; the contents decide. */
const DECLARED_TYPES: Record<SampleType, readonly string[]> = {
  'image/jpeg': ['image/*'],
  'image/png': ['image/*'],
  'video/mp4': ['video/*', 'application/mp4'],
  'application/pdf': ['application/pdf', 'application/x-pdf'],
};

/** Explanations for callers. They contain nothing that the other side sent, because a caller must not see a URL's contents. */
const EXPLANATIONS: Record<Exclude<EgressFailure, 'aborted'> | 'contents', string> = {
  invalid_url: 'it is not an absolute http or https URL without credentials',
  blocked: 'its address is not open to this service',
  dns: 'its host name could not be resolved',
  connect: 'no connection could be made or kept',
  tls: 'its host offered no trusted TLS connection',
  timeout: 'the answer took too long',
  too_large: 'the file is too large for this header',
  http_status: 'the server did not answer with the file',
  redirect: 'it redirects too often or from https to http',
  type: 'the file is not of a type this header can have',
  contents: 'the file is not of a type this header can have',
  empty: 'the file is empty',
};

/**
 * Fetches sample media given as URLs and uploads them, each URL once (api-rules#templates). Returns the handle of every URL.
 *
 * Raises PROVIDER_REJECTED with the gateway's explanation if a file cannot be fetched, or with the upstream's if it refuses one;
 * RATE_LIMITED if the organization's fetch budget is spent; INTERNAL_ERROR if the upstream cannot accept files now.
 */
export async function uploadSamples(
  deps: SampleDeps,
  organizationId: string,
  token: string,
  samples: readonly SampleMedia[],
): Promise<ReadonlyMap<string, string>> {
  const { clock, egress, gate } = deps;
  const wanted = wantedOf(samples);
  // Refuse invalid URLs before any file is fetched.
  for (const { url, place } of wanted) {
    const verdict = egress.checkUrl(url, { httpsOnly: false });
    if (verdict.kind === 'refused') throw refusal(place, failureOfRefusal(verdict.reason));
  }
  gate.admit(organizationId, wanted.length, clock.monotonicMs());
  const handles = new Map<string, string>();
  const failures: unknown[] = [];
  const giveUp = new AbortController();
  // Wait for all before throwing the first failure, so that no fetch continues after the answer.
  await Promise.all(
    wanted.map(async (sample) => {
      try {
        const upload = () => swap(deps, token, sample, giveUp.signal);
        handles.set(sample.url, await gate.run(organizationId, upload));
      } catch (error) {
        failures.push(error);
        giveUp.abort();
      }
    }),
  );
  if (failures.length > 0) throw failures[0];
  return handles;
}

/** Returns each URL once, with the kinds of all its headers merged. */
function wantedOf(samples: readonly SampleMedia[]): Wanted[] {
  const places = Map.groupBy(samples, ({ value }) => value);
  return [...places].map(([url, same]) => ({
    url,
    place: spellPath(same[0]?.path ?? []),
    kind: mergeKinds(same.map(({ kind }) => kind)),
  }));
}

/** Fetches one file and uploads it; returns its handle. */
async function swap(deps: SampleDeps, token: string, sample: Wanted, signal: AbortSignal): Promise<string> {
  const { url, place, kind } = sample;
  const fetched = await deps.egress.fetchPublicFile(url, {
    spool: deps.spool,
    bytesMax: kind.bytesMax,
    acceptTypes: kind.types.flatMap((type) => DECLARED_TYPES[type]),
    totalTimeoutMs: FETCH_TIMEOUT_MS,
    signal,
  });
  if (fetched.kind === 'failed') throw refusal(place, fetched.reason);
  const { file } = fetched;
  try {
    const mimeType = sampleTypeOf(await file.read(0, SAMPLE_HEAD_BYTES));
    if (mimeType === undefined || !kind.types.includes(mimeType)) throw refusal(place, 'contents');
    const { bytes } = file;
    const fileName = FILE_NAMES[mimeType];
    const uploaded = await deps.upstream.uploadSample(token, { stream: file.stream(), bytes, mimeType, fileName });
    if (uploaded.kind !== 'ok') throw upstreamError(uploaded);
    return uploaded.value;
  } finally {
    await file[Symbol.asyncDispose]();
  }
}

function refusal(place: string, reason: EgressFailure | 'contents'): AppError {
  if (reason === 'aborted') {
    return unavailable('The gateway is about to stop. Try again.');
  }
  const message = `The sample media at ${place} could not be used: ${EXPLANATIONS[reason]}.`;
  return new AppError('PROVIDER_REJECTED', message, {
    provider_error: { code: 100, error_user_title: 'Sample media could not be fetched', error_user_msg: message },
  });
}
