/** Before each test file: every property of fast-check begins at the run's seed, unless it names another. */
import fc from 'fast-check';
import { SEED } from './seed.ts';

fc.configureGlobal({ seed: SEED });
