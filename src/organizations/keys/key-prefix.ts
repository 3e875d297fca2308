import { API_KEY_PREFIX, TEST_KEY_PREFIX } from '../../http/index.ts';

/** Returns the prefix of an organization's keys. */
export function keyPrefixOf(test: boolean): typeof API_KEY_PREFIX | typeof TEST_KEY_PREFIX {
  return test ? TEST_KEY_PREFIX : API_KEY_PREFIX;
}
