/** The Lambda host of the paid endpoints. */
import { createPaidCalls, type PaidCalls } from '../adapters/inference/create-paid-calls.ts';
import { createLog } from '../adapters/system/logger.ts';
import type { Surface } from '../contract/route.ts';
import type { StreamingEndpoint } from '../core/ports.ts';
import { streamed } from '../edge/pipelines.ts';
import { createRequestHandler } from '../edge/request-handler.ts';

/** Throws an error that names the variable when the environment lacks one. */
export function paidHandler(surface: Surface, compose: (calls: PaidCalls) => StreamingEndpoint) {
  const calls = createPaidCalls({ environment: process.env, log: createLog() });
  return streamed(createRequestHandler(compose(calls), surface, calls));
}
