/** Wires a step of the audit workflow for Lambda. */
import { writeConclusion } from '../../adapters/ledger/audit-conclusion.ts';
import { createAudit } from '../../adapters/ledger/create-audit.ts';
import { METRICS } from '../../contract/metrics.ts';
import { requireTable } from '../../contract/tables.ts';
import { toMetric } from '../../core/money.ts';
import { consumerHandler } from '../../hosts/consumer-handler.ts';
import { auditBooks } from './consumer.ts';

export const handler = consumerHandler(({ measure, ...resources }) =>
  auditBooks({
    ...createAudit(resources),
    keep: (conclusion) =>
      writeConclusion(resources.clients.client, requireTable(resources.environment, 'accounts'), conclusion),
    onStep: ({ drift }) => measure({ values: { [METRICS.auditDrift]: toMetric(drift) } }),
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
