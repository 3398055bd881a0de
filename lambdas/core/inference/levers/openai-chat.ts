/**
 * Levers of chat completions (OpenAI API reference, Create chat completion, as in the package `openai` 7.55.0), and
 * those that other hosts of the protocol have added; each of these names its host, whose API reference is the source.
 */
import { isJsonObject } from '../../json/lossless-json.ts';
import { cacheControl } from './anthropic-messages.ts';
import {
  cacheMark,
  feature,
  lifetime,
  outputKinds,
  predicted,
  tier,
  tokens,
  toolType,
  unlessEmpty,
  unpriced,
  unpricedUnless,
  whenTrue,
} from './readers.ts';
import { type Lever, leverTable, type Reader } from './table.ts';

/** Fields that chat completions and Responses share (OpenAI docs, Priority and Flex processing, Prompt caching). */
export const OPENAI_SHARED: readonly Lever[] = [
  // `on_demand` is the standard tier of Groq.
  { field: 'service_tier', read: tier('auto', 'default', 'standard', 'on_demand') },
  { field: 'store', read: whenTrue(unpriced) },
  { field: 'moderation', read: unlessEmpty(unpriced) },
  { field: 'prompt_cache_retention', read: lifetime('in_memory', 'in-memory') },
  { field: 'prompt_cache_options.ttl', read: lifetime('30m') },
];

/** A breakpoint without a lifetime has that of the request, which is 30 minutes where it does not say so. */
export const cacheBreakpoint: Reader = cacheMark(({ body: { prompt_cache_options: options } }) =>
  isJsonObject(options) ? (options.ttl ?? '30m') : '30m',
);

/** xAI docs, Live Search: on where it is not `off`; charged by the sources it uses. */
const liveSearch: Reader = (value, place) =>
  isJsonObject(value) && value.mode === 'off'
    ? []
    : feature('live_search', () => (isJsonObject(value) ? value.max_search_results : undefined))(
        value,
        place,
      );

/** OpenRouter docs, Web search: `{"id": "web"}`; other plugins parse files or choose models. */
const plugin: Reader = (value, place) =>
  isJsonObject(value) && value.id === 'web' ? feature('web_search')(value, place) : unpriced(value, place);

/** Baidu Qianfan API reference, `web_search`: `{"enable": true}`. */
const switchable: Reader = (value, place) =>
  isJsonObject(value) && value.enable === false ? [] : feature('web_search')(value, place);

const OF_TOOLS = toolType(/^(function|custom)$/, {
  web_search: feature('web_search'),
  browser_search: feature('browser_search'),
  code_interpreter: feature('code_execution'),
  retrieval: feature('file_search'),
  mcp: feature('mcp'),
});

const thinking: Reader = (_value, { param }) => [{ kind: 'service-tier', name: 'thinking', param }];

const PART = 'messages[].content[]';

const OF_HOSTS: readonly Lever[] = [
  {
    field: 'cache_control',
    at: ['cache_control', 'messages[].cache_control', `${PART}.cache_control`, 'tools[].cache_control'],
    read: cacheControl,
    hosts: 'OpenRouter, DashScope, LiteLLM',
  },
  { field: 'tools[].function.cache_control', read: cacheControl, hosts: 'LiteLLM' },
  { field: `${PART}.audio_url`, read: tokens('audio_input'), hosts: 'vLLM' },
  { field: `${PART}.video_url`, read: tokens('video_input'), hosts: 'vLLM, OpenRouter, DashScope' },
  { field: `${PART}.video`, read: tokens('video_input'), hosts: 'DashScope' },
  { field: 'image_config', read: tokens('image_output'), hosts: 'OpenRouter' },
  { field: 'search_parameters', read: liveSearch, hosts: 'xAI' },
  { field: 'deferred', read: whenTrue(unpriced), hosts: 'xAI' },
  { field: 'plugins', at: ['plugins[]'], read: plugin, hosts: 'OpenRouter' },
  { field: 'preset', read: unpriced, hosts: 'OpenRouter' },
  // More passes for one answer, which no bound of its output is known to hold (OpenAI docs, Reasoning mode).
  { field: 'reasoning.mode', read: unpricedUnless('standard'), hosts: 'OpenRouter' },
  { field: 'enable_search', read: whenTrue(feature('web_search')), hosts: 'DashScope' },
  { field: 'search_options', read: unlessEmpty(feature('web_search')), hosts: 'DashScope' },
  { field: 'enable_code_interpreter', read: whenTrue(feature('code_execution')), hosts: 'DashScope' },
  // Some models have another price for all output while they think (Alibaba Cloud Model Studio, Model pricing).
  { field: 'enable_thinking', read: whenTrue(thinking), hosts: 'DashScope' },
  { field: 'vl_high_resolution_images', read: whenTrue(unpriced), hosts: 'DashScope' },
  { field: 'web_search', read: switchable, hosts: 'Baidu Qianfan' },
  { field: 'enable_enhancement', read: whenTrue(feature('web_search')), hosts: 'Tencent Hunyuan' },
  { field: 'force_search_enhancement', read: whenTrue(feature('web_search')), hosts: 'Tencent Hunyuan' },
  { field: 'enable_deep_search', read: whenTrue(unpriced), hosts: 'Tencent Hunyuan' },
  { field: 'compound_custom', read: unlessEmpty(unpriced), hosts: 'Groq' },
  { field: 'speculation', read: predicted, hosts: 'Fireworks' },
  { field: 'safety_model', read: unpriced, hosts: 'Together' },
  { field: 'safe_prompt', read: whenTrue(unpriced), hosts: 'Mistral' },
  { field: 'guardrails', read: unlessEmpty(unpriced), hosts: 'LiteLLM, Mistral' },
  { field: 'fallbacks', read: unlessEmpty(unpriced), hosts: 'LiteLLM' },
  { field: 'data_sources', read: unlessEmpty(unpriced), hosts: 'Azure OpenAI' },
  { field: 'providerOptions', read: unlessEmpty(unpriced), hosts: 'Vercel AI Gateway' },
  // Fields of another protocol inside this one (Gemini API docs, OpenAI compatibility); LiteLLM merges them into the request.
  { field: 'extra_body', at: ['extra_body.*'], read: unpriced, hosts: 'LiteLLM' },
  {
    field: 'extra_body.google',
    at: ['extra_body.google.*'],
    except: ['thinking_config'],
    read: unpriced,
    hosts: 'Gemini',
  },
];

export const OPENAI_CHAT = leverTable([
  ...OPENAI_SHARED,
  { field: 'modalities', read: outputKinds },
  { field: 'audio', read: tokens('audio_output') },
  { field: `${PART}.input_audio`, read: tokens('audio_input') },
  { field: 'messages[].audio', read: tokens('audio_input') },
  { field: `${PART}.prompt_cache_breakpoint`, read: cacheBreakpoint },
  { field: 'prediction', read: predicted },
  { field: 'web_search_options', read: feature('web_search') },
  { field: 'tools[].type', read: OF_TOOLS },
  ...OF_HOSTS,
]);
