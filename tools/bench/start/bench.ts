/** The duration of `npm start` until the first call is possible: on a fresh checkout, and with nothing to build. */

import type { BenchMetric } from '../harness/report.ts';
import { median } from '../harness/statistics.ts';
import { copyCheckout } from './checkout.ts';

/** The design's wish: a person does not look away. */
const READY_SECONDS = 5;
/** The first start bundles and minifies 63 functions, which is most of it, and synthesizes four stacks. */
const FIRST_READY_SECONDS = 30;

const STARTS = 3;

export async function measureStart(): Promise<readonly BenchMetric[]> {
  const checkout = await copyCheckout();
  try {
    const first = await checkout.secondsToReady();
    const seconds: number[] = [];
    for (let start = 0; start < STARTS; start += 1) seconds.push(await checkout.secondsToReady());
    return [
      {
        name: 'start: on a fresh checkout',
        value: first,
        unit: 's',
        most: FIRST_READY_SECONDS,
        note: 'a copy of the sources with these node_modules; bundles and synthesizes',
      },
      {
        name: 'start: nothing to build',
        value: median(seconds),
        unit: 's',
        most: READY_SECONDS,
        note: 'with an empty state folder, so tables, catalog and demo account are made',
      },
    ];
  } finally {
    await checkout.remove();
  }
}
