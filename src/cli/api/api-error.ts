import { CliError } from '../cli-error.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';

interface ErrorBody {
  message?: string;
  code?: string;
  request_id?: string;
  doc_url?: string;
  provider_error?: { code: number; error_user_msg: string };
}

/** Turns an answer other than 2xx into an error. `text` is its body without the credential of the request. */
export function apiError(status: number, text: string): CliError {
  const body = parseBody(text);
  const said = body.message ?? `The gateway answered ${status}.`;
  const provider = body.provider_error;
  const theirs = provider === undefined ? '' : ` (platform: ${provider.code} ${provider.error_user_msg})`;
  const code = body.code === undefined ? '' : ` [${body.code}]`;
  return new CliError(exitCodeOf(status), `${said}${theirs}${code}`, {
    hint: status === 401 ? 'Check the credential: `fairway profiles`, `fairway login`.' : body.doc_url,
    facts: { status, code: body.code, request_id: body.request_id, doc_url: body.doc_url, provider_error: provider },
  });
}

function exitCodeOf(status: number): ExitCode {
  if (status === 401) return EXIT.unauthorized;
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
