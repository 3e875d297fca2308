/** Beginning of the tokens of test accounts. The platform issues no token with a colon at this place. */
export const TEST_TOKEN_PREFIX = 'simulator:';

/** True if the token belongs to an account of the built-in simulator that serves test organizations. */
export function isTestToken(token: string): boolean {
  return token.startsWith(TEST_TOKEN_PREFIX);
}
