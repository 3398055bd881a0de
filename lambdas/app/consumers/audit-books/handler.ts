/** Wires a step of the audit workflow for Lambda: the audit of the ledger, with the check of earnings that the market registers. */

import { auditBooks } from '../../../ledger/core/audit/steps.ts';
import { writeConclusion } from '../../../ledger/store/audit-conclusion.ts';
import { createAudit } from '../../../ledger/store/create-audit.ts';
import { METRICS } from '../../../platform/contract/metrics.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { toMetric } from '../../../platform/core/money.ts';
import { consumerHandler } from '../../../platform/handlers/consumer-handler.ts';
import { createEarnings } from '../../handlers/registered.ts';

export const handler = consumerHandler(({ measure, ...resources }) => {
  const { environment, clients } = resources;
  const { client } = clients;
  return auditBooks({
    ...createAudit({ ...resources, earnings: createEarnings({ client, environment }) }),
    storeConclusion: (conclusion) =>
      writeConclusion(client, requireTable(environment, 'accounts'), conclusion),
    onStep: ({ drift, salesOverdue }) =>
      measure({
        values: { [METRICS.auditDrift]: toMetric(drift), [METRICS.oldestDueItem]: salesOverdue },
      }),
    onAudited: ({ unproven, topUps, balances }, audited) =>
      measure({
        values: {
          [METRICS.accountsAudited]: audited - unproven,
          [METRICS.accountsUnproven]: unproven,
          [METRICS.topUps]: toMetric(topUps),
          [METRICS.balances]: toMetric(balances),
        },
      }),
  });
});
