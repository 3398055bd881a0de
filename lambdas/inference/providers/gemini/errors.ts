/** An error of the Gemini API: is the route at fault, or the request (Google APIs, error model: `google.rpc.Status`)? */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { refusalIn } from '../refusals/refusal.ts';
import { toStatusFailure } from '../refusals/status-failure.ts';

/** Fields of a request as `google.rpc.BadRequest` names them, and the chat field that each was made from. */
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
export const toFailure = (response: Response): Promise<UpstreamFailure> =>
  toStatusFailure(response, { paramOf, isRouteFault, retryDelayOf });

/** Returns the failure that the `error` of an event within a stream means. */
export function failureOf(body: JsonObject): UpstreamFailure {
  const code = errorOf(body).code;
  if (code === 429)
    return new UpstreamFailure('status', { status: 429, retryAfterSeconds: retryDelayOf(body) });
  if (code !== 400 || isRouteFault(body)) return new UpstreamFailure('interrupted');
  const refusal = refusalIn(body);
  return new UpstreamFailure('status', { status: 400, retryable: false, param: paramOf(body), refusal });
}

const errorOf = (body: unknown): JsonObject =>
  isJsonObject(body) && isJsonObject(body.error) ? body.error : {};

const detailsOf = (body: unknown): JsonObject[] => {
  const { details } = errorOf(body);
  return Array.isArray(details) ? details.filter(isJsonObject) : [];
};

/**
 * A key that is not valid, and a place or an account that the API is not open to, have the status of a refused request
 * (Gemini API docs, Troubleshooting).
 */
function isRouteFault(body: unknown): boolean {
  const { status } = errorOf(body);
  const reasons = detailsOf(body).map(({ reason }) => reason);
  return status === 'FAILED_PRECONDITION' || reasons.some((reason) => /^API_KEY_/.test(String(reason)));
}

/** The first field that was refused: its own path, or the nearest above it that is known. */
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
  const found = typeof delay === 'string' ? DURATION.exec(delay) : null;
  if (found === null) return undefined;
  return Math.max(1, Math.ceil(Number(`${found[1]}${found[2] ?? ''}`)));
}
