import { invalid } from '../../core/errors.ts';
import type { BodyRule } from '../table/edge.ts';

/**
 * Members that mean something to the Graph API in every call. They would carry another token, turn the call into another one, or have the
 * answer show other objects.
 */
const RESERVED: ReadonlySet<string> = new Set([
  'access_token',
  'appsecret_proof',
  'appsecret_time',
  'batch',
  'callback',
  'debug',
  'fields',
  'format',
  'ids',
  'include_headers',
  'method',
  'preverified_id',
  'suppress_http_code',
]);

/** Raises VALIDATION_ERROR for a body with a member that must not pass. */
export function checkMembers(names: readonly string[], { members, refused }: BodyRule): void {
  for (const name of names) {
    const plain = plainName(name);
    if (RESERVED.has(plain))
      throw invalid(`"${plain}" must not be in the body: the gateway sets it, or the call has no use for it.`);
    const wayOut = refused !== undefined && Object.hasOwn(refused, plain) ? refused[plain] : undefined;
    if (wayOut !== undefined) throw invalid(`"${plain}" cannot be changed here: ${wayOut}.`);
    if (members !== undefined && !members.includes(name)) {
      throw invalid(`This call takes only ${members.map((member) => `"${member}"`).join(', ')}.`);
    }
  }
}

/** Returns the name as the platform's language reads names of forms: without index, with `_` for dots and spaces. */
function plainName(name: string): string {
  return (name.split('[', 1)[0] ?? '').trim().replace(/[.\s]/g, '_').toLowerCase();
}
