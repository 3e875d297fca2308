import { gatewayPath } from './paths.ts';

/** A refused or failed call: the gateway's error, or the failure to reach it. */
export class ApiFailure extends Error {
  override name = 'ApiFailure';
  /** HTTP status; 0 if no answer came. */
  readonly status: number;
  /** Code for programs, such as `OUTSIDE_24H_WINDOW`. */
  readonly code: string;
  readonly details: FailureDetails;

  constructor(message: string, status: number, code: string, details: FailureDetails = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

interface FailureDetails {
  docUrl?: string;
  requestId?: string;
  retryAfterS?: number;
  /** The platform's own words. */
  providerMessage?: string;
}

export interface CallOptions {
  query?: Record<string, string | number | boolean | undefined>;
  /** Sent as JSON. */
  body?: unknown;
  /** Organization that an operator acts for. */
  organization?: string | undefined;
  signal?: AbortSignal | undefined;
}

interface ErrorBody {
  message?: string;
  code?: string;
  request_id?: string;
  doc_url?: string;
  error?: unknown;
  provider_error?: { error_user_title: string; error_user_msg: string };
}

/**
 * Calls the gateway that serves this page.
 * @throws ApiFailure
 */
export async function call<Answer>(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const response = await open(method, path, options);
  if (response.status === 204) return undefined as Answer;
  return (await response.json()) as Answer;
}

/**
 * Reads a text of the gateway that serves this page.
 * @throws ApiFailure
 */
export async function readText(path: string, options: CallOptions = {}): Promise<string> {
  return (await open('GET', path, options)).text();
}

async function open(method: string, path: string, options: CallOptions): Promise<Response> {
  const { query = {}, body, organization, signal } = options;
  const url = new URL(gatewayPath(path), location.origin);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
  }
  const init: RequestInit = {
    method,
    headers: {
      accept: 'application/json',
      // The gateway accepts its cookie only with this header, which a foreign site cannot set.
      'fairway-console': '1',
      ...(organization !== undefined && { 'fairway-organization': organization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  };
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiFailure('The gateway does not answer.', 0, 'UNREACHABLE');
  }
  if (!response.ok) throw await failureOf(response);
  return response;
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const body = ((await response.json().catch(() => ({}))) ?? {}) as ErrorBody;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const simulatorError = typeof body.error === 'string' ? body.error : undefined;
  return new ApiFailure(
    body.message ?? simulatorError ?? `The server answered ${response.status}.`,
    response.status,
    body.code ?? `HTTP_${response.status}`,
    {
      ...(body.doc_url !== undefined && { docUrl: gatewayPath(body.doc_url) }),
      ...(body.request_id !== undefined && { requestId: body.request_id }),
      ...(Number.isFinite(retryAfter) && { retryAfterS: retryAfter }),
      ...(body.provider_error !== undefined && {
        providerMessage: [body.provider_error.error_user_title, body.provider_error.error_user_msg]
          .filter(Boolean)
          .join(': '),
      }),
    },
  );
}
