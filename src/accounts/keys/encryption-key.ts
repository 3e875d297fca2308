import type { SecretBox } from '../../core/secret-box.ts';
import type { Queryable } from '../../database/database.ts';
import { areTokensUnmarked, listTokensWithout, replaceTokens } from './encryption-key-queries.ts';
import { tokenContext } from './token.ts';

interface KeyDeps {
  db: Queryable;
  secretBox: Pick<SecretBox, 'marks' | 'reseal'>;
}

const TOKENS_PER_READ = 500;

/** Throws if all stored access tokens were sealed with other keys, because none could be used. */
export async function checkEncryptionKey({ db, secretBox }: KeyDeps): Promise<void> {
  if (!(await areTokensUnmarked(db, secretBox.marks))) return;
  throw new Error(
    'The encryption key (ENCRYPTION_KEY, or the file encryption-key in DATA_DIR) is not the one this database was filled ' +
      'with: no access token in it can be opened. Set that one; docs/operations.md, "Secrets", says what to do when it is lost.',
  );
}

/**
 * Reseals the access tokens that are not sealed with the first key, so that the other keys can be removed. Tokens that no key opens stay as
 * they are. Returns the number of resealed tokens.
 */
export async function resealTokens({ db, secretBox }: KeyDeps): Promise<number> {
  const [mark] = secretBox.marks;
  let count = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const tokens = await listTokensWithout(db, mark, after, TOKENS_PER_READ);
    const resealed = tokens.flatMap((token) => {
      const sealed = secretBox.reseal(token.sealed, tokenContext(token.organizationId, token.wabaId));
      return sealed === undefined ? [] : [{ ...token, was: token.sealed, sealed }];
    });
    count += await replaceTokens(db, resealed);
    after = tokens.length < TOKENS_PER_READ ? undefined : tokens.at(-1)?.wabaId;
  }
  return count;
}
