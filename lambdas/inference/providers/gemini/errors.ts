/** An error of the Gemini API: is the route at fault, or the request (Google APIs, error model: `google.rpc.Status`)? */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { UpstreamResponse } from '../../../platform/core/ports.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { rejectionOfBody } from '../rejections/rejection.ts';
import { toStatusFailure } from '../rejections/status-failure.ts';

/** Fields of a request in `google.rpc.BadRequest`, and the chat field from which each was created. */
const CHAT_FIELDS: ReadonlyMap<string, string> = new Map([
  ['contents', 'messages'],
  ['system_instruction', 'messages'],
  ['tools', 'tools'],
  ['tool_config', 'tool_choice'],
  ['generation_config.max_output_tokens', 'max_tokens'],
  ['generation_config.temperature', 'temperature'],
  ['generation_config.top_p', 'top_p'],
  ['generation_config.stop_sequences', 'stop'],
  ['generation_config.response_json_schema', 'response_format'],
  ['generation_config.response_mime_type', 'response_format'],
  ['generation_config.thinking_config', 'reasoning_effort'],
]);

/** Returns the failure that an error response means. */
export const toFailure = (response: UpstreamResponse): Promise<UpstreamFailure> =>
  toStatusFailure(response, { paramOf, isRouteFault, retryDelayOf });

/** Returns the failure that the `error` of an event within a stream means. */
export function failureOf(body: JsonObject): UpstreamFailure {
  const code = errorOf(body).code;
  if (code === 429)
    return new UpstreamFailure('status', { status: 429, retryAfterSeconds: retryDelayOf(body) });
  if (code !== 400 || isRouteFault(body)) return new UpstreamFailure('interrupted');
  const rejection = rejectionOfBody(code, body);
  return new UpstreamFailure('status', { status: code, retryable: false, param: paramOf(body), rejection });
}

const errorOf = (body: unknown): JsonObject =>
  isJsonObject(body) && isJsonObject(body.error) ? body.error : {};

const detailsOf = (body: unknown): JsonObject[] => {
  const { details } = errorOf(body);
  return Array.isArray(details) ? details.filter(isJsonObject) : [];
};

/**
 * Returns whether the route is at fault. An invalid key, and a region or account without access to the API, have the
 * status of a rejected request (Gemini API docs, Troubleshooting).
 */
function isRouteFault(body: unknown): boolean {
  const { status } = errorOf(body);
  const reasons = detailsOf(body).map(({ reason }) => reason);
  return status === 'FAILED_PRECONDITION' || reasons.some((reason) => /^API_KEY_/.test(String(reason)));
}

/** Returns the first rejected field: its own path, or the nearest known path above it. */
function paramOf(body: unknown): string | undefined {
  const violations = detailsOf(body).flatMap(({ fieldViolations: list }) =>
    Array.isArray(list) ? list.filter(isJsonObject) : [],
  );
  const field = violations[0]?.field;
  if (typeof field !== 'string') return undefined;
  const [first = '', second = ''] = field.replaceAll(/\[\d+\]/g, '').split('.');
  return CHAT_FIELDS.get(`${first}.${second}`) ?? CHAT_FIELDS.get(first);
}

/** A duration as ProtoJSON writes it. */
const DURATION = /^(\d{1,6})(\.\d{1,9})?s$/;

/** The wait that `google.rpc.RetryInfo` names, whole seconds and at least one. */
function retryDelayOf(body: unknown): number | undefined {
  const delay = detailsOf(body).find(({ retryDelay }) => typeof retryDelay === 'string')?.retryDelay;
  const match = typeof delay === 'string' ? DURATION.exec(delay) : null;
  if (match === null) return undefined;
  return Math.max(1, Math.ceil(Number(`${match[1]}${match[2] ?? ''}`)));
}
