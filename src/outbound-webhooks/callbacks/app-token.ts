import { AppError, invalid } from '../../core/errors.ts';
import type { ApiKeys } from '../../http/index.ts';
import { needWord, type Parameters } from './read-parameters.ts';

/**
 * Returns the token of an app: its secret is an API key, and so is its token. Changes nothing and shows nothing new. Raises VALIDATION_ERROR,
 * UNAUTHORIZED.
 */
export async function getAppToken(
  { keyring }: { keyring: Pick<ApiKeys, 'authenticate'> },
  parameters: Parameters,
): Promise<string> {
  if (needWord(parameters, 'grant_type') !== 'client_credentials')
    throw invalid('"grant_type" must be "client_credentials".');
  const key = needWord(parameters, 'client_secret');
  needWord(parameters, 'client_id');
  try {
    await keyring.authenticate({ scheme: 'bearer', key });
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'UNAUTHORIZED')) throw error;
    throw new AppError('UNAUTHORIZED', '"client_secret" must be a valid API key of this gateway.');
  }
  return key;
}
