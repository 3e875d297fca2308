import { listDeclaredTypes, normalizeMimeType } from './declared-types.ts';
import type { MediaDecision, MediaFacts } from './media-type.ts';

const SUPPORTED =
  'Supported are JPEG and PNG images, WebP stickers, AAC, AMR, MP3, M4A and Ogg Opus audio, MP4 and 3GP video, and the documents ' +
  'TXT, PDF, DOC, DOCX, XLS, XLSX, PPT and PPTX.';

const OPUS = 'Ogg audio must be Opus.';
const UNKNOWN = 'not of that type.';
const DECLARE = 'Declare which, or name the file so.';

/** Returns the sentences that explain a refusal: its reason, the file's actual type, and the types that would be accepted. */
export function explainRefusal(decision: Extract<MediaDecision, { kind: 'invalid' }>, facts: MediaFacts): string {
  switch (decision.reason) {
    case 'empty':
      return 'The file is empty.';
    case 'unsupported_type':
      return decision.mimeType === undefined ? explainUndeclared(facts) : explainUnsupported(decision.mimeType, facts);
    case 'contents_mismatch':
      return `The file is ${claimOf(facts)} ${decision.mimeType}, but its contents are ${contentsOf(facts) ?? UNKNOWN}`;
    case 'too_large':
      return `The file is too large: ${decision.mimeType} may have up to ${decision.bytesMax} bytes.`;
  }
}

function explainUndeclared(facts: MediaFacts): string {
  const contents = contentsOf(facts);
  if (contents !== undefined) return `The contents of the file are ${contents}`;
  return `The type of the file is not declared and cannot be told from its extension or contents. ${SUPPORTED}`;
}

function explainUnsupported(mimeType: string, facts: MediaFacts): string {
  const possible = facts.sniffed?.possible ?? [];
  const declarable = listDeclaredTypes(mimeType);
  const fitting = declarable.filter((one) => possible.includes(one));
  if (fitting.length > 1) return `A file of the type ${mimeType} can be ${listOf(fitting)}. ${DECLARE}`;
  const contents = contentsOf(facts);
  // A container or a family is supported, but not with any contents.
  if (declarable.length > 0) return `The file is declared as ${mimeType}; its contents are ${contents ?? UNKNOWN}`;
  const refusal = `Files of the type ${mimeType} are not supported.`;
  return contents === undefined ? `${refusal} ${SUPPORTED}` : `${refusal} The contents of this one are ${contents}`;
}

function claimOf({ declaredMime, fileName }: MediaFacts): string {
  const isExact = listDeclaredTypes(normalizeMimeType(declaredMime ?? '')).length === 1;
  return isExact || fileName === undefined ? 'declared as' : 'named as';
}

/** Returns the rest of a sentence about the contents, with its consequence; undefined if nothing is known about them. */
function contentsOf({ sniffed }: MediaFacts): string | undefined {
  if (sniffed === undefined) return undefined;
  const { name, likely, possible } = sniffed;
  if (name !== undefined) return `${name}, which is not supported. ${name.startsWith('Ogg ') ? OPUS : SUPPORTED}`;
  if (likely !== undefined) return `${likely}. Declare that, or name the file so.`;
  return possible.length === 0 ? undefined : `${listOf(possible)}. ${DECLARE}`;
}

function listOf(types: readonly string[]): string {
  return types.length < 2 ? types.join() : `${types.slice(0, -1).join(', ')} or ${types.at(-1)}`;
}
