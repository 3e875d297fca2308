import type { SecretBox } from '../../core/secret-box.ts';
import type { Queryable } from '../../database/database.ts';
import { contextOf } from './endpoint-secrets.ts';
import { listSecretsWithout, replaceSecrets } from './reseal-queries.ts';

const ENDPOINTS_PER_READ = 500;

/**
 * Reseals endpoint secrets that another key than the first has sealed, so that the other keys can be retired. A secret that no key opens
 * stays unchanged. Returns the number of endpoints resealed.
 */
export async function resealWebhookSecrets(deps: {
  db: Queryable;
  secretBox: Pick<SecretBox, 'marks' | 'reseal'>;
}): Promise<number> {
  const { db, secretBox } = deps;
  const [mark] = secretBox.marks;
  let count = 0;
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined; ) {
    const endpoints = await listSecretsWithout(db, mark, after, ENDPOINTS_PER_READ);
    const resealed = endpoints.flatMap((was) => {
      const secret = secretBox.reseal(was.secret, contextOf(was));
      const old = was.old === null ? null : (secretBox.reseal(was.old, contextOf(was)) ?? was.old);
      return secret === undefined ? [] : [{ was, secret, old }];
    });
    count += await replaceSecrets(db, resealed);
    after = endpoints.length < ENDPOINTS_PER_READ ? undefined : endpoints.at(-1)?.id;
  }
  return count;
}
