import type { SecretBox } from '../core/secret-box.ts';
import type { Queryable } from '../database/database.ts';
import { areTokensUnmarked } from './queries.ts';

/** Throws when all access tokens there are were sealed with another key: with this one none could be used. */
export async function checkEncryptionKey(deps: { db: Queryable; secretBox: Pick<SecretBox, 'mark'> }): Promise<void> {
  if (!(await areTokensUnmarked(deps.db, deps.secretBox.mark))) return;
  throw new Error(
    'The encryption key (ENCRYPTION_KEY, or the file encryption-key in DATA_DIR) is not the one this database was filled ' +
      'with: no access token in it can be opened. Set that one; docs/operations.md, "Secrets", says what to do when it is lost.',
  );
}
