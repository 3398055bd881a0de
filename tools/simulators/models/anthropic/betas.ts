/**
 * The features that only a flag of the header `anthropic-beta` enables (Claude API docs, Beta headers). An unknown flag
 * is rejected, as the API does.
 */
import type { RequestHead } from '../exchange/reply.ts';
import { requireThat } from '../exchange/request-error.ts';
import type { SimulatedMessagesRequest } from './request.ts';

/** The flags that current clients send (Claude Code 2.1, the SDKs), without their dates. */
const KNOWN: ReadonlySet<string> = new Set([
  'claude-code',
  'interleaved-thinking',
  'context-management',
  'per-turn-control',
  'mid-conversation-system',
  'mid-conversation-tool-changes',
  'thinking-token-count',
  'advanced-tool-use',
  'effort',
  'context-1m',
  'prompt-caching-scope',
  'structured-outputs',
  'thinking-binding-controls',
  'pdfs',
  'prompt-caching',
  'fine-grained-tool-streaming',
  'extended-cache-ttl',
  'token-efficient-tools',
]);

const FLAG = /^([a-z0-9-]+?)-\d{4}-?\d{2}-?\d{2}$/u;

function namesOf(headers: RequestHead['headers']): ReadonlySet<string> {
  const flags = String(headers['anthropic-beta'] ?? '').match(/[^\s,]+/gu) ?? [];
  const names = flags.map((flag) => FLAG.exec(flag)?.[1] ?? '');
  const at = names.findIndex((name) => !KNOWN.has(name));
  requireThat(at < 0, `Unexpected value(s) \`${flags[at]}\` for the \`anthropic-beta\` header.`);
  return new Set(names);
}

/** Throws `RequestError` for an unknown flag, and for what the request has without the flag that unlocks it. */
export function checkBetas(request: SimulatedMessagesRequest, headers: RequestHead['headers']): void {
  const names = namesOf(headers);
  const extra = 'Extra inputs are not permitted';
  requireThat(request.context_management == null || names.has('context-management'), extra, [
    'context_management',
  ]);
  const isBound = request.thinking !== undefined && 'block_binding' in request.thinking;
  requireThat(!isBound || names.has('thinking-binding-controls'), extra, ['thinking', 'block_binding']);
  for (const [index, tool] of (request.tools ?? []).entries())
    requireThat(!('defer_loading' in tool) || names.has('advanced-tool-use'), extra, ['tools', index]);
  const at = request.messages.findIndex(({ role }) => role === 'system');
  const role = "Input should be 'user' or 'assistant'";
  requireThat(at < 0 || names.has('mid-conversation-system'), role, ['messages', at, 'role']);
}
