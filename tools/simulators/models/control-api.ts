/** The control API of tests: queue faults, read what was received. */
import { z } from 'zod';
import { faultRuleSchema } from './control/fault.ts';
import type { FaultQueue } from './control/fault-queue.ts';
import type { RequestLog } from './control/request-log.ts';
import { type CompleteReply, jsonResponse } from './exchange/reply.ts';

export interface ControlState {
  readonly faults: FaultQueue;
  readonly log: RequestLog;
  readonly stored: { readonly count: number };
}

function queueFault({ faults }: ControlState, body: unknown): CompleteReply {
  const rule = faultRuleSchema.safeParse(body);
  if (!rule.success) return jsonResponse(400, { error: z.prettifyError(rule.error) });
  faults.add(rule.data);
  return jsonResponse(201, { queued: rule.data, rules: faults.size });
}

function listRequests({ log }: ControlState, url: URL): CompleteReply {
  const since = Number(url.searchParams.get('since') ?? 0);
  if (!Number.isInteger(since))
    return jsonResponse(400, { error: "'since' is the sequence number of a request" });
  const requests = log.since(since);
  return jsonResponse(200, { requests, last: requests.at(-1)?.sequence ?? since });
}

/** Answers a request under `/control`; `body` is undefined if it is not JSON. */
export function control(state: ControlState, method: string, url: URL, body: unknown): CompleteReply {
  const { faults, stored } = state;
  switch (`${method} ${url.pathname}`) {
    case 'POST /control/faults':
      return queueFault(state, body);
    case 'DELETE /control/faults':
      faults.clear();
      return jsonResponse(200, { ok: true });
    case 'GET /control/requests':
      return listRequests(state, url);
    case 'GET /control/kept-responses':
      return jsonResponse(200, stored);
    default:
      return jsonResponse(404, { error: 'no such control' });
  }
}
