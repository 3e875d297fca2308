import type { ProviderError } from '../../../core/errors.ts';
import { storableText } from '../../../core/storable-text.ts';
import { asObject, type JsonObject, numberField, ownField, textField } from '../json-fields.ts';

/** One error as the platform reported it; any field may be missing. */
export interface GraphError {
  code: number | null;
  subcode: number | null;
  message: string | null;
  userTitle: string | null;
  userMessage: string | null;
  /** `error_data.details`, or `error_data` itself if the platform put plain text there. */
  details: string | null;
  isTransient: boolean;
  /** The id that the platform's support asks for. */
  traceId: string | null;
}

/**
 * Reads the `error` of an answer; null if `value` is no object.
 * Texts are storable: no NUL, well-formed, at most 4,096 UTF-16 units. Every occurrence of `secret` is replaced, because the platform
 * quotes malformed tokens.
 */
export function graphErrorOf(value: unknown, secret = ''): GraphError | null {
  const error = asObject(value);
  if (error === null) return null;
  const text = (key: string) => cleanText(textField(error, key), secret);
  return {
    code: integerField(error, 'code'),
    subcode: integerField(error, 'error_subcode'),
    message: text('message') ?? text('title'),
    userTitle: text('error_user_title'),
    userMessage: text('error_user_msg'),
    details: cleanText(detailsOf(ownField(error, 'error_data')), secret),
    isTransient: ownField(error, 'is_transient') === true,
    traceId: text('fbtrace_id'),
  };
}

/**
 * Returns the `error` of an answer if the platform itself wrote it, which a code or a trace id shows. Proxies in between answer in JSON
 * too, and their errors say nothing about the outcome.
 */
export function platformErrorOf(answer: JsonObject | null, secret: string): GraphError | null {
  const error = answer === null ? null : graphErrorOf(ownField(answer, 'error'), secret);
  return error === null || (error.code === null && error.traceId === null) ? null : error;
}

/** Returns the upstream's own words for the caller (api-rules#errors). Fills all three fields, with fallbacks for the missing ones. */
export function providerErrorOf(error: GraphError): ProviderError {
  const fallback = 'The platform gave no explanation.';
  return {
    code: error.code ?? codeUnknown,
    error_user_title: error.userTitle ?? error.message ?? error.details ?? fallback,
    error_user_msg: error.userMessage ?? error.details ?? error.message ?? fallback,
  };
}

/** Returns the text to store as a message's `error_message`. */
export function errorTextOf(error: GraphError): string {
  return error.details ?? error.userMessage ?? error.message ?? 'The platform gave no explanation.';
}

/** Graph's "unknown error" code, used for an error without a code. */
const codeUnknown = 1;

const textLengthMax = 4096;

function integerField(from: JsonObject, key: string): number | null {
  const value = numberField(from, key);
  return value !== null && Number.isSafeInteger(value) ? value : null;
}

function detailsOf(errorData: unknown): string | null {
  if (typeof errorData !== 'string') {
    const object = asObject(errorData);
    return object === null ? null : textField(object, 'details');
  }
  try {
    const parsed: unknown = JSON.parse(errorData);
    if (typeof parsed === 'object' && parsed !== null) return detailsOf(parsed);
  } catch {
    // Not JSON, so the text itself is the explanation.
  }
  return errorData.trim() === '' ? null : errorData;
}

function cleanText(text: string | null, secret: string): string | null {
  if (text === null) return null;
  const clean = secret === '' ? text : text.replaceAll(secret, '[token]');
  return storableText(clean).slice(0, textLengthMax).toWellFormed();
}
