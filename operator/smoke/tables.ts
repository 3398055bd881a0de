/** The tables of a deployment, which a version with other indexes or streams must have before its calls succeed. */
import { type Check, expectThat } from '../../lambdas/operations/core/smoke-test/check.ts';
import type { Operator } from '../operator.ts';

export const tablesCheck = (operator: Pick<Operator, 'checkTables'>): Check => ({
  name: 'tables',
  async run() {
    const different = await operator.checkTables();
    const lines = different.map(({ table, differences }) => `${table}: ${differences.join(', ')}`);
    expectThat(different.length === 0, lines.join('; '));
    return { note: 'as this version needs them' };
  },
});
