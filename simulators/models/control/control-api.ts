/** The tests' side door: queue faults, read what was received. */
import { z } from 'zod';
import { jsonReply, type WholeReply } from '../exchange/reply.ts';
import { type FaultRule, faultRuleSchema } from './fault.ts';
import type { FaultQueue } from './fault-queue.ts';
import type { RequestLog } from './request-log.ts';

export interface ControlState {
  readonly faults: FaultQueue;
  readonly log: RequestLog;
}

export interface ControlRequest {
  readonly method: string;
  readonly url: URL;
  /** The parsed JSON body; undefined when there is none or it is not JSON. */
  readonly body: unknown;
}

type Action = (state: ControlState, request: ControlRequest) => WholeReply;

const DONE = { ok: true };

function queueFault({ faults }: ControlState, { body }: ControlRequest): WholeReply {
  const parsed = faultRuleSchema.safeParse(body);
  if (!parsed.success) return jsonReply(400, { error: z.prettifyError(parsed.error) });
  const rule: FaultRule = parsed.data;
  faults.add(rule);
  return jsonReply(201, { queued: rule, rules: faults.size });
}

function listRequests({ log }: ControlState, { url }: ControlRequest): WholeReply {
  const since = Number(url.searchParams.get('since') ?? 0);
  if (!Number.isInteger(since))
    return jsonReply(400, { error: "'since' is the sequence number of a request" });
  const requests = log.since(since);
  return jsonReply(200, { requests, last: requests.at(-1)?.sequence ?? since });
}

const ACTIONS: Readonly<Record<string, Action>> = {
  'POST /control/faults': queueFault,
  'DELETE /control/faults': ({ faults }) => {
    faults.clear();
    return jsonReply(200, DONE);
  },
  'GET /control/requests': listRequests,
  'DELETE /control/requests': ({ log }) => {
    log.clear();
    return jsonReply(200, DONE);
  },
  'GET /control/stats': ({ log }) => jsonReply(200, log.stats()),
};

/** Answers a request under `/control`. */
export function control(state: ControlState, request: ControlRequest): WholeReply {
  const action = ACTIONS[`${request.method} ${request.url.pathname}`];
  if (action === undefined)
    return jsonReply(404, { error: 'no such control', controls: Object.keys(ACTIONS) });
  return action(state, request);
}
