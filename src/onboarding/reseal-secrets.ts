import type { SecretBox } from '../core/secret-box.ts';
import type { Queryable } from '../database/database.ts';
import { listSecretsWithout, replaceSecrets, type SealedSecrets } from './reseal-queries.ts';
import { sealContext } from './step-context.ts';

const PER_READ = 500;

/**
 * Reseals tokens and PINs that another key than the first has sealed, so that the other keys can be retired. A secret that no key opens stays
 * unchanged. Returns the number of onboardings resealed.
 */
export async function resealOnboardingSecrets(deps: {
  db: Queryable;
  secretBox: Pick<SecretBox, 'marks' | 'reseal'>;
}): Promise<number> {
  const { db, secretBox } = deps;
  const reseal = (one: SealedSecrets, kind: 'token' | 'pin') =>
    one[kind] === null ? null : (secretBox.reseal(one[kind], sealContext(one, kind)) ?? one[kind]);
  let count = 0;
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined; ) {
    const page = await listSecretsWithout(db, secretBox.marks[0], after, PER_READ);
    for (const one of page) {
      const replaced = await replaceSecrets(db, one, { token: reseal(one, 'token'), pin: reseal(one, 'pin') });
      if (replaced) count += 1;
    }
    after = page.length < PER_READ ? undefined : page.at(-1)?.id;
  }
  return count;
}
