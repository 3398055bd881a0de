/** The operator's commands for the layouts of stored data. */
import { finishedLayouts } from '../../lambdas/platform/contract/layouts.ts';
import { RELEASE } from '../../lambdas/platform/contract/release.ts';
import { type Command, ok, options } from './arguments.ts';

export const LAYOUT_COMMANDS: Readonly<Record<string, Command>> = {
  'layout show': {
    usage: '',
    async run({ layouts }, args) {
      options(args, []);
      const inUse = await layouts.read();
      return ok({ release: RELEASE, in_use: inUse, after_finish: finishedLayouts(inUse) });
    },
  },
  'layout finish': {
    usage: '',
    async run({ layouts }, args) {
      options(args, []);
      return ok({ release: RELEASE, in_use: await layouts.finish() });
    },
  },
};
