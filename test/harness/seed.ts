import { randomInt } from 'node:crypto';
import fc from 'fast-check';

const asked = process.env.TEST_SEED;

/**
 * What every random choice of the tests is drawn from. It is fixed, so that a change is judged by what it changes;
 * `TEST_SEED=N` draws from another seed and `TEST_SEED=random` from a new one, to look where nobody has looked yet.
 */
export const TEST_SEED = asked === 'random' ? randomInt(2 ** 31) : Number(asked ?? 20_260_801);

fc.configureGlobal({ seed: TEST_SEED, defaultSizeToMaxWhenMaxSpecified: true });
