/**
 * Decides whether an error response of a Messages server is the fault of the route or of the request (Claude API docs,
 * Errors).
 */
import type { UpstreamResponse } from '../../../platform/core/ports.ts';
import type { ChatPayload, UpstreamFailure } from '../../core/upstream/provider.ts';
import { isFieldPath } from '../rejections/field-names.ts';
import { toStatusFailure } from '../rejections/status-failure.ts';

/** The path that a validation error opens with, as in `messages.0.content: Field required`. */
const LEADING_PATH = /^([a-z][a-z0-9_]{0,63})((?:\.(?:\d{1,6}|[a-z][a-z0-9_]{0,63})){0,12}): /;

/** The fields of a request, and the chat field from which each was created. */
const CHAT_FIELDS: ReadonlyMap<string, string | undefined> = new Map([
  ['model', undefined],
  ['messages', 'messages'],
  ['system', 'messages'],
  ['max_tokens', 'max_tokens'],
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['top_k', undefined],
  ['stop_sequences', 'stop'],
  ['tools', 'tools'],
  ['tool_choice', 'tool_choice'],
  ['output_config', 'response_format'],
  ['metadata', 'user'],
  ['thinking', undefined],
  ['container', undefined],
  ['cache_control', undefined],
  ['context_management', undefined],
  ['mcp_servers', undefined],
  ['service_tier', undefined],
]);

/** Rejected beta flags have no path, so the name of their header is used (Claude API docs, Beta headers). */
const BETA = 'anthropic-beta';

/** Kinds of blocks, tools and sources, which a path names after their place though no field has that name. */
const KINDS_IN_LISTS = /(\.\d+)\.(?:custom|text|image|document|thinking|tool_use|tool_result)(?=\.|$)/g;
const KINDS_OF_FIELDS =
  /(\b(?:source|tool_choice|thinking|cache_control))\.(?:base64|url|text|content|file|auto|any|none|tool|enabled|adaptive|disabled|ephemeral)(?=\.)/g;

/**
 * The operator's account with the route has no funds. The status is the same as for a rejected request (Claude API
 * docs, Errors).
 */
const OUT_OF_FUNDS = /^(your credit balance is too low|you have reached your specified .{0,40}usage limits)/i;

/** Returns the failure that an error response means to a caller of the protocol. */
export function toFailure(
  response: UpstreamResponse,
  protocol: ChatPayload['protocol'],
): Promise<UpstreamFailure> {
  return toStatusFailure(response, {
    isRouteFault: (body) => OUT_OF_FUNDS.test(messageOf(body)),
    paramOf: (body) => paramOf(messageOf(body), protocol),
  });
}

function messageOf(body: unknown): string {
  const message = (body as { error?: { message?: unknown } | null } | null | undefined)?.error?.message;
  return typeof message === 'string' ? message : '';
}

/**
 * Returns the field that was rejected. A caller of another protocol did not write the rejected request, so only that
 * caller's own field is named.
 */
function paramOf(message: string, protocol: ChatPayload['protocol']): string | undefined {
  if (message.includes(BETA)) return BETA;
  const [, field, path] = LEADING_PATH.exec(message) ?? [];
  if (field === undefined || path === undefined || !CHAT_FIELDS.has(field)) return undefined;
  if (protocol !== 'anthropic') return CHAT_FIELDS.get(field);
  const named = `${field}${path}`
    .replace(KINDS_IN_LISTS, '$1')
    .replace(KINDS_OF_FIELDS, '$1')
    .replace(/\.(\d+)/g, '[$1]');
  return isFieldPath(named) ? named : field;
}
