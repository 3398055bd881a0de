/** `provider.require_parameters`: which routes carry every field of a request, and leave none of them out. */

import { isJsonObject } from '../../json/lossless-json.ts';
import type { Route } from '../catalog/catalog-document.ts';
import type { CallerProtocol } from '../upstream/provider.ts';

/** The fields of a request that its caller set. */
export interface AskedFields {
  readonly protocol: CallerProtocol;
  readonly names: readonly string[];
  /** What is set within fields, of what some hosts refuse and others take. */
  readonly within: readonly string[];
}

const STRICT = 'tools.strict';
const ONE_CALL = 'tool_choice.disable_parallel_tool_use';

export function askedFields(protocol: CallerProtocol, request: object): AskedFields {
  const { tools, tool_choice: choice } = Object(request) as Record<string, unknown>;
  const isOneCall = isJsonObject(choice) && choice.disable_parallel_tool_use === true;
  return {
    protocol,
    names: Object.entries(request).flatMap(([name, value]) => (value == null ? [] : [name])),
    within: [
      ...(Array.isArray(tools) && tools.some(isStrict) ? [STRICT] : []),
      ...(isOneCall ? [ONE_CALL] : []),
    ],
  };
}

/** A chat's tool holds its function; tools of the other formats are functions themselves. */
const isStrict = (tool: unknown): boolean =>
  isJsonObject(tool) &&
  (tool.strict === true || (isJsonObject(tool.function) && tool.function.strict === true));

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

/** The fields by which callers of any format ask a model to think. */
const REASONING: ReadonlySet<string> = new Set(['reasoning_effort', 'reasoning', 'thinking']);

/**
 * The fields that a route would leave out. A dialect that leaves out `store` or `stream_options` takes nothing from the
 * caller: nothing is stored in any case, and the service counts usage itself.
 */
export function leftOutBy(route: Route, { protocol, names, within }: AskedFields): readonly string[] {
  const isOwn = route.protocol === protocol;
  const refused = refusedBy(route, isOwn);
  const left = names.filter(
    (name) =>
      (!isOwn && !CARRIED[protocol].has(name)) || (route.reasoning && SAMPLING.has(name)) || refused(name),
  );
  return [...left, ...within.filter(refused)];
}

/** What the route's dialect has left out. */
function refusedBy({ protocol, dialect }: Route, isOwn: boolean): (name: string) => boolean {
  const isOneCallRefused = dialect?.parallel_tool_calls === false;
  const isStrictRefused = dialect?.strict_tools === false;
  const way = dialect?.reasoning_request;
  const isUnasked = protocol === 'openai' && (way === 'none' || (way === undefined && !isOwn));
  return (name) =>
    (isOneCallRefused && (name === 'parallel_tool_calls' || name === ONE_CALL)) ||
    (isStrictRefused && name === STRICT) ||
    (isUnasked && REASONING.has(name));
}
