/** Errors among the events of a stream, in the forms that servers have for them besides that of their protocol. */
import { isJsonObject, type JsonObject } from '../../platform/core/json/lossless-json.ts';

/** Returns the data of an event named `error` in the form that all protocols share. */
export function errorData(data: string): string {
  try {
    const value: unknown = JSON.parse(data);
    const isKnown = isJsonObject(value) && (value.type === 'error' || isJsonObject(value.error));
    return isKnown ? data : JSON.stringify({ type: 'error', error: value });
  } catch {
    return JSON.stringify({ type: 'error', error: {} });
  }
}

const ERROR_WORD = /(error|exception|fail|failed|failure)$|^[45]\d\d$/i;

/**
 * Returns the event in the form that all protocols share if it is an error: one without `type`, or one without `error`,
 * such as vLLM's `{"object": "error"}`, FastAPI's `{"detail": ...}`, or a code with a message. A known event of a
 * Responses stream is none, such as a failed call of a server's tool.
 */
export function withError(event: JsonObject): JsonObject {
  const { message, detail, error_msg: other, type, error } = event;
  if (type === 'error') return error == null ? { ...event, error: event } : event;
  if (error != null && type === undefined) return { ...event, type: 'error' };
  const isText = [message, detail, other].some((text) => typeof text === 'string');
  const isKnown = 'choices' in event || 'candidates' in event || String(type).startsWith('response.');
  if (!isText || isKnown) return event;
  const { object, code, status, status_code: statusCode, error_code: errorCode } = event;
  const isError =
    (typeof detail === 'string' && type === undefined) ||
    [object, type, code, status, statusCode].some((word) => ERROR_WORD.test(String(word))) ||
    errorCode != null;
  return isError ? { type: 'error', error: event } : event;
}
