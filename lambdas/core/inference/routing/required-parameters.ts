/** `provider.require_parameters`: which routes carry every field of a request, and leave none of them out. */
import type { Route } from '../catalog/catalog-document.ts';
import type { CallerProtocol } from '../upstream/provider.ts';

/** The fields of a request that its caller set. */
export interface AskedFields {
  readonly protocol: CallerProtocol;
  readonly names: readonly string[];
}

export const askedFields = (protocol: CallerProtocol, request: object): AskedFields => ({
  protocol,
  names: Object.entries(request).flatMap(([name, value]) => (value == null ? [] : [name])),
});

/** The fields that the service itself acts on, whatever the route. */
const SERVICE_FIELDS = ['model', 'models', 'provider', 'session_id', 'stream', 'stream_options'];

/** What of each format a conversation holds, as `toConversation` makes it for a route of another protocol. */
const CARRIED: Readonly<Record<CallerProtocol, ReadonlySet<string>>> = {
  openai: new Set([
    ...SERVICE_FIELDS,
    ...['messages', 'tools', 'tool_choice', 'parallel_tool_calls', 'response_format', 'n', 'stop', 'user'],
    ...['max_tokens', 'max_completion_tokens', 'temperature', 'top_p'],
    ...['reasoning_effort', 'reasoning', 'thinking', 'prompt_cache_key'],
  ]),
  anthropic: new Set([
    ...SERVICE_FIELDS,
    ...['messages', 'system', 'tools', 'tool_choice', 'output_config', 'stop_sequences', 'metadata'],
    ...['max_tokens', 'temperature', 'top_p', 'thinking'],
  ]),
  'openai-responses': new Set([
    ...SERVICE_FIELDS,
    ...['input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'text', 'reasoning', 'store'],
    ...[
      'max_output_tokens',
      'temperature',
      'top_p',
      'user',
      'safety_identifier',
      'prompt_cache_key',
      'include',
    ],
  ]),
};

/** Models that reason refuse these, so they are left out for them. */
const SAMPLING: ReadonlySet<string> = new Set(['temperature', 'top_p', 'top_k']);

/** The fields that a route would leave out. */
export function leftOutBy(route: Route, { protocol, names }: AskedFields): readonly string[] {
  const isOwn = route.protocol === protocol;
  return names.filter(
    (name) =>
      (!isOwn && !CARRIED[protocol].has(name)) ||
      (route.reasoning && SAMPLING.has(name)) ||
      (name === 'parallel_tool_calls' && route.dialect?.parallel_tool_calls === false),
  );
}
