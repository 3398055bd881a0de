/** Makes a process one of a version that reads the first layout of keys alone: loaded by `--import` before a command. */
import { LAYOUTS } from '../../../lambdas/platform/contract/layouts.ts';

Object.assign(LAYOUTS, { keys: { reads: 1, writes: 1 } });
