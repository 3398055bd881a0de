/** The control API of tests: queue faults, read what was received. */
import { z } from 'zod';
import { type FaultRule, faultRuleSchema } from './fault.ts';
import type { FaultQueue } from './fault-queue.ts';
import type { StoredResponses } from './kept-responses.ts';
import type { RequestLog } from './request-log.ts';

export interface ControlState {
  readonly faults: FaultQueue;
  readonly log: RequestLog;
  readonly storedResponses: StoredResponses;
}

export interface ControlRequest {
  readonly method: string;
  readonly url: URL;
  /** The parsed JSON body; undefined when there is none or it is not JSON. */
  readonly body: unknown;
}

/** The status of the response, and its body as JSON. */
export interface ControlResponse {
  readonly status: number;
  readonly body: unknown;
}

type Action = (state: ControlState, request: ControlRequest) => ControlResponse;

const ok = (body: unknown = { ok: true }): ControlResponse => ({ status: 200, body });

function queueFault({ faults }: ControlState, { body }: ControlRequest): ControlResponse {
  const parsed = faultRuleSchema.safeParse(body);
  if (!parsed.success) return { status: 400, body: { error: z.prettifyError(parsed.error) } };
  const rule: FaultRule = parsed.data;
  faults.add(rule);
  return { status: 201, body: { queued: rule, rules: faults.size } };
}

function listRequests({ log }: ControlState, { url }: ControlRequest): ControlResponse {
  const since = Number(url.searchParams.get('since') ?? 0);
  if (!Number.isInteger(since))
    return { status: 400, body: { error: "'since' is the sequence number of a request" } };
  const requests = log.since(since);
  return ok({ requests, last: requests.at(-1)?.sequence ?? since });
}

const ACTIONS: Readonly<Record<string, Action>> = {
  'POST /control/faults': queueFault,
  'DELETE /control/faults': ({ faults }) => {
    faults.clear();
    return ok();
  },
  'GET /control/requests': listRequests,
  'DELETE /control/requests': ({ log }) => {
    log.clear();
    return ok();
  },
  /** Returns the number of stored responses: those that requested it or did not exclude it. */
  'GET /control/kept-responses': ({ storedResponses }) => ok({ count: storedResponses.count }),
  'GET /control/stats': ({ log }) => ok(log.stats()),
};

/** Answers a request under `/control`. */
export function control(state: ControlState, request: ControlRequest): ControlResponse {
  const action = ACTIONS[`${request.method} ${request.url.pathname}`];
  if (action === undefined)
    return { status: 404, body: { error: 'no such control', controls: Object.keys(ACTIONS) } };
  return action(state, request);
}
