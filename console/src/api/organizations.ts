import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { AnswerOf, Schema } from './shapes.ts';

/** Most organizations that the picker reads. Beyond, an address or the list of organizations chooses one. */
const PICKED_MAX = 1000;
const PAGE = 100;

/** The organizations for the picker. */
export const organizationsQuery = queryOptions({
  queryKey: ['organizations', 'picker'],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<Schema<'Organization'>[]> => {
    const found: Schema<'Organization'>[] = [];
    let after: string | undefined;
    do {
      const query = { limit: PAGE, after };
      const page = await call<AnswerOf<'listOrganizations'>>('GET', '/admin/v1/organizations', { query, signal });
      found.push(...page.data);
      after = page.next ?? undefined;
    } while (after !== undefined && found.length < PICKED_MAX);
    return found;
  },
});
