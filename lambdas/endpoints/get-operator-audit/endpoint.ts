/** `GET /api/v1/operator/audit`: what the last audit of the books found. */
import type { SessionEndpoint } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { AuditConclusion } from '../../core/ledger/audit/conclusion.ts';
import { auditView } from '../../core/ledger/audit/conclusion.ts';

export function getOperatorAudit(read: () => Promise<AuditConclusion | undefined>): SessionEndpoint {
  return async () => jsonResponse(auditView(await read()));
}
