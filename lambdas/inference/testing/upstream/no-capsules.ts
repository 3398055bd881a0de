/** Capsules for tests that seal nothing: none opens, and none can be made. */
import type { Capsules } from '../../core/upstream/capsules.ts';

export const NO_CAPSULES: Capsules = {
  seal: () => {
    throw new Error('nothing is sealed here');
  },
  open: () => undefined,
};
