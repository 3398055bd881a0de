/** The Lambda host of the paid endpoints. */
import type { PaidCalls } from '../adapters/inference/create-paid-calls.ts';
import type { Surface } from '../contract/route.ts';
import type { StreamingEndpoint } from '../core/ports.ts';
import { streamed } from '../edge/pipelines.ts';
import { createRequestHandler } from '../edge/request-handler.ts';
import { paidCalls } from './paid-calls.ts';

/** Throws an error that names the variable when the environment lacks one. */
export function paidHandler(surface: Surface, compose: (calls: PaidCalls) => StreamingEndpoint) {
  const calls = paidCalls();
  return streamed(createRequestHandler(compose(calls), surface, calls));
}
