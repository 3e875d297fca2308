import { randomInt } from 'node:crypto';
import fc from 'fast-check';

const asked = process.env.TEST_SEED;

/**
 * The seed of every random choice in the tests. It is fixed, so that a change is judged by its own effect. `TEST_SEED=N` uses another seed
 * and `TEST_SEED=random` a new one, to search new cases.
 */
export const TEST_SEED = asked === 'random' ? randomInt(2 ** 31) : Number(asked ?? 20_260_801);

fc.configureGlobal({ seed: TEST_SEED, defaultSizeToMaxWhenMaxSpecified: true });
