import type { SecretBox } from '../core/secret-box.ts';
import type { Queryable } from '../database/database.ts';
import { appSecretContext, verifyTokenContext } from './app-secrets.ts';
import { listSealedApps, replaceAppSecrets } from './queries.ts';

/**
 * Reseals the secrets of apps that are not sealed with the first key, so that the other keys can be removed. A secret that no key opens
 * stays unchanged. Returns the number of resealed apps.
 */
export async function resealAppSecrets({
  db,
  secretBox,
}: {
  db: Queryable;
  secretBox: Pick<SecretBox, 'marks' | 'reseal'>;
}): Promise<number> {
  const [mark] = secretBox.marks;
  const isCurrent = (sealed: Buffer) => sealed.subarray(0, mark.length).equals(mark);
  let count = 0;
  for (const app of await listSealedApps(db)) {
    if ([...app.secretsSealed, app.verifyTokenSealed].every(isCurrent)) continue;
    const reseal = (sealed: Buffer, context: string) =>
      isCurrent(sealed) ? sealed : (secretBox.reseal(sealed, context) ?? sealed);
    const resealed = {
      secretsSealed: app.secretsSealed.map((sealed) => reseal(sealed, appSecretContext(app.appId))),
      verifyTokenSealed: reseal(app.verifyTokenSealed, verifyTokenContext(app.appId)),
    };
    if (await replaceAppSecrets(db, app, resealed)) count += 1;
  }
  return count;
}
