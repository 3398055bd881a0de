/** The cost of a call in database work and in our own CPU. */

import { openDatabase } from '../../test-kit/database.ts';
import type { BenchMetric } from '../harness/report.ts';
import { measureEndpoint } from './endpoint.ts';
import { measureOpenCalls } from './open-calls.ts';
import { measureRefusals } from './refusals.ts';

export async function measureLedger(): Promise<readonly BenchMetric[]> {
  const database = await openDatabase();
  try {
    return [
      ...(await measureRefusals(database)),
      ...(await measureEndpoint(database)),
      ...(await measureOpenCalls()),
    ];
  } finally {
    await database.close();
  }
}
