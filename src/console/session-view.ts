import type { Queryable } from '../database/database.ts';
import { findKeyNames } from './queries.ts';
import type { OpenSession } from './sessions.ts';

/** Renders a session for the pages: its owner, what the owner may do, and the pages that exist. */
export async function renderSession(
  { db, simulatorOrigin }: { db: Queryable; simulatorOrigin: string | null },
  session: OpenSession,
) {
  const hasSimulator = simulatorOrigin !== null;
  const expires = { expires_at: session.expiresAt.toISOString(), demo: hasSimulator, simulator: hasSimulator };
  if ('operator' in session) {
    const { id, name, role } = session.operator;
    return { kind: 'operator', id, name, role, scopes: null, organization: null, numbers: null, ...expires };
  }
  const { organizationId, apiKeyId } = session.caller;
  const key = apiKeyId === null ? undefined : await findKeyNames(db, organizationId, apiKeyId);
  return {
    kind: 'key',
    id: apiKeyId,
    name: key?.keyName ?? key?.hint ?? '',
    role: null,
    scopes: key?.scopes ?? null,
    organization: { id: organizationId, name: key?.organizationName ?? '' },
    numbers: key?.phoneNumberIds ?? null,
    ...expires,
  };
}
