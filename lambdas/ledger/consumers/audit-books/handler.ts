/** Wires a step of the audit workflow for Lambda. */

import { METRICS } from '../../../platform/contract/metrics.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { toMetric } from '../../../platform/core/money.ts';
import { consumerHandler } from '../../../platform/handlers/consumer-handler.ts';
import { writeConclusion } from '../../store/audit-conclusion.ts';
import { createAudit } from '../../store/create-audit.ts';
import { auditBooks } from './consumer.ts';

export const handler = consumerHandler(({ measure, ...resources }) =>
  auditBooks({
    ...createAudit(resources),
    storeConclusion: (conclusion) =>
      writeConclusion(resources.clients.client, requireTable(resources.environment, 'accounts'), conclusion),
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
  }),
);
