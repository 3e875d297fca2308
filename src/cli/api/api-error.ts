import { CliError } from '../cli-error.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';

interface ErrorBody {
  message?: string;
  /** Message of the simulator's control API. */
  error?: unknown;
  code?: string;
  request_id?: string;
  doc_url?: string;
  provider_error?: { code: number; error_user_msg: string };
}

/**
 * Turns an answer other than 2xx into an error.
 * @param text body of the answer, without the credential of the request
 * @param url base URL of the gateway, for the page of the error
 */
export function apiError({ status, headers }: Response, text: string, url: string): CliError {
  const retryAfter = headers.get('retry-after');
  const body = parseBody(text);
  const said =
    body.message ?? (typeof body.error === 'string' ? body.error : undefined) ?? `The gateway answered ${status}.`;
  const provider = body.provider_error;
  const theirs = provider === undefined ? '' : ` (platform: ${provider.code} ${provider.error_user_msg})`;
  const code = body.code === undefined ? '' : ` [${body.code}]`;
  const page = body.doc_url === undefined ? undefined : new URL(body.doc_url, url).href;
  return new CliError(exitCodeOf(status, body.code), `${said}${theirs}${code}`, {
    hint: status === 401 ? 'Check the credential: `fairway profiles`, `fairway login`.' : page,
    facts: {
      status,
      code: body.code,
      request_id: body.request_id,
      doc_url: page,
      provider_error: provider,
      ...(retryAfter !== null && { retry_after: Number(retryAfter) }),
    },
  });
}

function exitCodeOf(status: number, code: string | undefined): ExitCode {
  if (status === 401 || code === 'FORBIDDEN') return EXIT.unauthorized;
  if (status === 404) return EXIT.notFound;
  return status >= 500 ? EXIT.unavailable : EXIT.refused;
}

function parseBody(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}
