/** The operator's commands for the layouts of stored data. */
import { finishedLayouts } from '../../lambdas/platform/contract/layouts.ts';
import { RELEASE } from '../../lambdas/platform/contract/release.ts';
import { type Command, ok, options } from './arguments.ts';
import { forPeople } from './people.ts';

export const LAYOUT_COMMANDS: Readonly<Record<string, Command>> = {
  'layout show': {
    usage: '',
    async run({ layouts }, args) {
      options(args, []);
      const inUse = await layouts.read();
      const output = { release: RELEASE, in_use: inUse, after_finish: finishedLayouts(inUse) };
      const pending = await layouts.pending();
      const next =
        pending.length === 0 ? 'nothing to finish' : `to finish by "layout finish": ${pending.join(', ')}`;
      return { ...ok(output), text: `${forPeople(output)}\n\n${next}` };
    },
  },
  'layout finish': {
    usage: '',
    async run({ layouts }, args) {
      options(args, []);
      const output = { release: RELEASE, in_use: await layouts.finish() };
      return { ...ok(output), text: `${forPeople(output)}\n\nfinished: nothing is left to finish` };
    },
  },
};
