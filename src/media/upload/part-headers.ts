import { FormError, type FormPart } from './form-part.ts';

/** Reads the header lines of a part. Raises FormError for lines that are no headers, and for a part without a name. */
export function readPartHeaders(text: string): Omit<FormPart, 'contents'> {
  const headers = new Map<string, string>();
  // A line that starts with white space continues the one before it.
  for (const line of text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    if (line === '') continue;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new FormError('has a part with a header line that is none');
    headers.set(name, line.slice(colon + 1).trim());
  }

  const disposition = readParameters(headers.get('content-disposition') ?? '');
  const name = disposition.parameters.get('name');
  if (disposition.value !== 'form-data' || name === undefined) throw new FormError('has a part without a name');
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
  if (!['7bit', '8bit', 'binary'].includes(encoding)) {
    throw new FormError('has a part with a content-transfer-encoding, which forms do not use');
  }
  return {
    name,
    fileName: extendedValueOf(disposition.parameters.get('filename*')) ?? disposition.parameters.get('filename'),
    contentType: headers.get('content-type') || undefined,
  };
}

/** Returns the boundary in a `Content-Type`; `undefined` if the type is not multipart or the boundary is not valid. */
export function boundaryOf(contentType: string): string | undefined {
  const { value, parameters } = readParameters(contentType);
  const boundary = parameters.get('boundary') ?? '';
  return value === 'multipart/form-data' && /^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary) ? boundary : undefined;
}

const PARAMETER = /(?:;[ \t]*)+([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))[ \t]*/y;

/** Reads `value; name=token; name="text"`. The value and the names are in lower case; everything after unreadable text is left out. */
function readParameters(header: string): { value: string; parameters: Map<string, string> } {
  const value = (header.split(';', 1)[0] ?? '').trim().toLowerCase();
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = Math.max(0, header.indexOf(';'));
  for (let match = PARAMETER.exec(header); match !== null; match = PARAMETER.exec(header)) {
    const [, name = '', quoted, token = ''] = match;
    // Only quotes and backslashes are escaped in practice; old browsers send bare backslashes, as in a Windows path.
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? token);
  }
  return { value, parameters };
}

/** Reads RFC 5987 text, `UTF-8''percent%20encoded`; `undefined` for any other text. */
function extendedValueOf(text: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(text ?? '')?.[1];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
