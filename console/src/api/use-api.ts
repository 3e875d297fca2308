import { useSearch } from '@tanstack/react-router';
import { type CallOptions, call, readText } from './call.ts';
import { useSession } from './session-context.ts';

/** Returns the id of the organization that the pages show: the key's own, or the operator's choice in the address. */
export function useOrganization(): string | undefined {
  const session = useSession();
  const { org } = useSearch({ strict: false }) as { org?: string };
  return session.organization?.id ?? org;
}

export interface Api {
  get: <Answer>(path: string, query?: CallOptions['query'], signal?: AbortSignal) => Promise<Answer>;
  /** Reads an answer byte for byte, as text. */
  text: (path: string, signal?: AbortSignal) => Promise<string>;
  send: <Answer>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown) => Promise<Answer>;
}

/** Returns the API in the name of the organization that the pages show. */
export function useApi(): Api {
  const { kind } = useSession();
  const chosen = useOrganization();
  // A key has one organization, and is refused if it names another.
  const organization = kind === 'operator' ? chosen : undefined;
  const scoped = (path: string) => (path.startsWith('/v1') ? organization : undefined);
  return {
    get: (path, query, signal) => call('GET', path, { query, organization: scoped(path), signal }),
    text: (path, signal) => readText(path, { organization: scoped(path), signal }),
    send: (method, path, body) => call(method, path, { body, organization: scoped(path) }),
  };
}
