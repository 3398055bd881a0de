import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { CONTROLS, firstBroken, ROOT } from './controls.ts';

/** A plain run takes the controls that fail within so few histories; `THOROUGH=34` takes all of them. */
const HISTORIES = rounds(120);

const MAX_MS = 1_200_000;

describe('the histories of leases', () => {
  it('know the code that each control changes', () => {
    const missing = CONTROLS.flatMap(({ rule, changes }) =>
      changes
        .filter(({ file, from }) => !readFileSync(join(ROOT, file), 'utf8').includes(from))
        .map(() => rule),
    );
    expect(missing).toEqual([]);
  });

  it.each(CONTROLS.filter(({ within }) => within <= HISTORIES))(
    'notice if it does not hold that $rule',
    async (control) => {
      expect(await firstBroken(control, control.within)).toBeDefined();
    },
    MAX_MS,
  );
});
