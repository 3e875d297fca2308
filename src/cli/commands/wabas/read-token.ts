import type { Cli } from '../../cli.ts';
import { readSecrets } from '../../terminal/secrets.ts';

/** Returns the token of a business account: from the environment, asked for, or the first line of standard input if that is no terminal. */
export async function readWabaToken(cli: Cli): Promise<string> {
  const [token = ''] = await readSecrets(cli, [
    { name: 'access token of the business account', given: cli.env.wabaToken },
  ]);
  return token;
}
