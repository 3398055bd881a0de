/**
 * Fields of chat completions (OpenAI API reference, Create chat completion, as in the package `openai` 7.55.0), and those
 * that other vendors have added to the protocol, whose API references are their sources.
 */
import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import { OPENAI_FIELDS, openaiBreakpoint, storedByProvider } from '../../core/fields/openai-rules.ts';
import {
  all,
  blankLastTurn,
  cacheControl,
  capability,
  feature,
  fetched,
  outputKinds,
  predictedOutput,
  serverTool,
  tokens,
  toolType,
  unlessEmpty,
  unpriced,
  unpricedUnless,
  when,
  whenTrue,
  withinLimit,
} from '../../core/fields/readers.ts';
import { type FieldRule, fieldTable, type NeedReader } from '../../core/fields/table.ts';

const PART = 'messages[].content[]';

const isJson = (value: unknown): boolean => isJsonObject(value) && value.type !== 'text';
const isPlural = (value: unknown): boolean => typeof value === 'number' && value > 1;

/** Types that compatible servers run; the protocol's own tools are the caller's. */
const toolTypes = toolType(/^(function|custom)$/, {
  web_search: serverTool('web_search'),
  browser_search: serverTool('browser_search'),
  code_interpreter: serverTool('code_execution'),
  retrieval: serverTool('file_search'),
  mcp: serverTool('mcp'),
});

const DOCUMENTED: readonly FieldRule[] = [
  ...OPENAI_FIELDS,
  // What is stored nowhere and counted in any case needs no field of the route.
  { at: 'store', needs: storedByProvider, isConverted: true },
  { at: 'stream_options.{include_usage,include_obfuscation}' },
  { at: 'stream_options', isConverted: true },
  { at: '{max_tokens,max_completion_tokens,reasoning_effort}', isConverted: true },
  { at: '{frequency_penalty,presence_penalty,logit_bias,logprobs,seed,verbosity}' },
  { at: '{functions,function_call}' },
  { at: 'n', needs: when(isPlural, feature('choices')), isConverted: true },
  { at: 'stop', needs: unlessEmpty(feature('stop-sequences')), isConverted: true },
  { at: 'modalities', needs: outputKinds },
  { at: 'audio', needs: tokens('audio_output') },
  { at: 'audio.{voice,format}' },
  { at: 'prediction', needs: predictedOutput },
  { at: 'prediction.type' },
  { at: 'prediction.content[].{type,text}' },
  { at: 'web_search_options', needs: serverTool('web_search') },
  { at: 'web_search_options.{search_context_size,user_location}' },
  { at: 'response_format', needs: when(isJson, capability('json')), isConverted: true },
  { at: 'response_format.type' },
  { at: 'response_format.json_schema.{name,description,schema,strict}' },

  { at: 'messages', needs: blankLastTurn, isConverted: true },
  { at: 'messages[].role', needs: when((value) => value === 'tool', capability('tools')) },
  { at: 'messages[].{content,refusal,tool_call_id}' },
  { at: 'messages[].name', isConverted: false },
  { at: 'messages[].function_call.{name,arguments}', isConverted: false },
  { at: 'messages[].audio', needs: tokens('audio_input'), isConverted: false },
  { at: 'messages[].audio.id' },
  { at: 'messages[].tool_calls', needs: capability('tools') },
  { at: 'messages[].tool_calls[].{id,type}' },
  { at: 'messages[].tool_calls[].function.{name,arguments}' },
  // Reasoning as this service returns it. The provider writes what the route takes back (`reasoning_return`).
  { at: 'messages[].{reasoning,reasoning_content}' },
  { at: 'messages[].reasoning_details[].{type,id,index,format,text,summary,signature,data}' },
  { at: 'messages[].tool_calls[].extra_content.google.thought_signature' },
  { at: `${PART}.{type,text,refusal}` },
  { at: `${PART}.prompt_cache_breakpoint`, needs: openaiBreakpoint, isConverted: false },
  { at: `${PART}.prompt_cache_breakpoint.{mode,ttl}` },
  { at: `${PART}.image_url.url`, needs: all(capability('vision'), fetched('image-urls')) },
  { at: `${PART}.image_url.detail`, isConverted: 'openai' },
  {
    at: `${PART}.file.file_data`,
    needs: all(capability('documents'), feature('documents'), fetched('document-urls')),
  },
  { at: `${PART}.file.{file_id,filename}` },
  {
    at: `${PART}.input_audio`,
    needs: all(capability('audio'), feature('audio'), tokens('audio_input')),
  },
  { at: `${PART}.input_audio.{data,format}` },

  { at: 'tools', needs: capability('tools'), isConverted: true },
  { at: 'tools[].type', needs: toolTypes },
  { at: 'tools[].function.{name,description,parameters,strict}' },
  { at: 'tool_choice', needs: capability('tools'), isConverted: true },
  { at: 'tool_choice.type' },
  { at: 'tool_choice.function.name' },
];

/** xAI docs, Live Search: on unless it is `off`; charged by the sources that it uses. */
const liveSearch: NeedReader = (value, context) => {
  const { mode, max_search_results: limit } = isJsonObject(value) ? value : {};
  return mode === 'off' ? [] : serverTool('live_search', () => limit)(value, context);
};

/** OpenRouter docs, Web search: `{"id": "web"}`; other plugins parse files or choose models. */
const plugin: NeedReader = (value, context) =>
  (isJsonObject(value) && value.id === 'web' ? serverTool('web_search') : unpriced)(value, context);

/** Baidu Qianfan API reference, `web_search`: `{"enable": true}`. */
const enabledSearch: NeedReader = (value, context) =>
  isJsonObject(value) && value.enable === false ? [] : serverTool('web_search')(value, context);

/** Some models have another price for all output while they think (Alibaba Cloud Model Studio, Model pricing). */
const thinkingTier: NeedReader = (_value, { param }) => [{ kind: 'service-tier', name: 'thinking', param }];

const unlessZero = (read: NeedReader): NeedReader => when((value) => value !== 0, read);

/** A route takes these if its catalog entry or the preset of its dialect lists them. */
const OF_VENDORS: readonly FieldRule[] = [
  {
    at: ['cache_control', 'messages[].cache_control', `${PART}.cache_control`, 'tools[].cache_control'],
    needs: cacheControl,
    isConverted: true,
    vendors: 'OpenRouter, DashScope, LiteLLM',
  },
  { at: 'tools[].function.cache_control', needs: cacheControl, isConverted: true, vendors: 'LiteLLM' },
  {
    at: '{reasoning,thinking}',
    isConverted: true,
    vendors: 'OpenRouter, DeepSeek, Z.ai, Moonshot, Together',
  },
  // More passes for one response, whose output has no known bound (OpenAI docs, Reasoning mode).
  { at: 'reasoning.mode', needs: unpricedUnless('standard'), vendors: 'OpenRouter' },
  { at: `${PART}.audio_url`, needs: tokens('audio_input'), vendors: 'vLLM' },
  { at: `${PART}.video_url`, needs: tokens('video_input'), vendors: 'vLLM, OpenRouter, DashScope' },
  { at: `${PART}.video`, needs: tokens('video_input'), vendors: 'DashScope' },
  { at: 'image_config', needs: tokens('image_output'), vendors: 'OpenRouter' },
  { at: 'search_parameters', needs: liveSearch, vendors: 'xAI' },
  { at: 'deferred', needs: whenTrue(unpriced), vendors: 'xAI' },
  { at: 'plugins[]', needs: plugin, vendors: 'OpenRouter' },
  { at: 'preset', needs: unpriced, vendors: 'OpenRouter' },
  { at: 'enable_search', needs: whenTrue(serverTool('web_search')), vendors: 'DashScope' },
  { at: 'search_options', needs: unlessEmpty(serverTool('web_search')), vendors: 'DashScope' },
  { at: 'enable_code_interpreter', needs: whenTrue(serverTool('code_execution')), vendors: 'DashScope' },
  { at: 'enable_thinking', needs: whenTrue(thinkingTier), vendors: 'DashScope' },
  { at: 'thinking_budget', needs: all(unlessZero(thinkingTier), withinLimit), vendors: 'DashScope' },
  { at: 'vl_high_resolution_images', needs: whenTrue(unpriced), vendors: 'DashScope' },
  { at: 'web_search', needs: enabledSearch, vendors: 'Baidu Qianfan' },
  {
    at: '{enable_enhancement,force_search_enhancement}',
    needs: whenTrue(serverTool('web_search')),
    vendors: 'Tencent Hunyuan',
  },
  { at: 'enable_deep_search', needs: whenTrue(unpriced), vendors: 'Tencent Hunyuan' },
  { at: 'compound_custom', needs: unlessEmpty(unpriced), vendors: 'Groq' },
  { at: 'speculation', needs: predictedOutput, vendors: 'Fireworks' },
  { at: 'safety_model', needs: unpriced, vendors: 'Together' },
  { at: 'safe_prompt', needs: whenTrue(unpriced), vendors: 'Mistral' },
  { at: 'guardrails', needs: unlessEmpty(unpriced), vendors: 'LiteLLM, Mistral' },
  { at: 'fallbacks', needs: unlessEmpty(unpriced), vendors: 'LiteLLM' },
  { at: 'data_sources', needs: unlessEmpty(unpriced), vendors: 'Azure OpenAI' },
  { at: 'providerOptions', needs: unlessEmpty(unpriced), vendors: 'Vercel AI Gateway' },
  // Fields of another protocol inside this one, or a template's variables; some hosts merge them into the request.
  { at: ['extra_body', 'extra_body.google'], isContainer: true, vendors: 'LiteLLM, Gemini' },
  { at: 'chat_template_kwargs', isContainer: true, vendors: 'vLLM, SGLang, llama.cpp, NVIDIA' },
  // A template may repeat the prompt as often as it likes.
  {
    at: ['chat_template', 'chat_template_kwargs.chat_template'],
    needs: unpriced,
    vendors: 'vLLM, SGLang',
  },
  { at: 'chat_template_kwargs.thinking_budget', needs: withinLimit, vendors: 'vLLM, SGLang, NVIDIA' },
  { at: 'thinking_token_budget', needs: withinLimit, vendors: 'vLLM' },
  { at: '{thinking_budget_tokens,reasoning_budget_tokens}', needs: withinLimit, vendors: 'llama.cpp' },
  { at: '{n_predict,num_predict}', needs: withinLimit, vendors: 'llama.cpp, Ollama' },
  { at: ['options.num_predict', 'parameters.max_new_tokens'], needs: withinLimit, vendors: 'Ollama, TGI' },
  { at: '{max_new_tokens,max_output_tokens,min_tokens}', needs: withinLimit, vendors: 'SGLang, vLLM' },
  {
    at: '{best_of,num_return_sequences,candidate_count}',
    needs: unpricedUnless(1),
    vendors: 'vLLM, TGI, Gemini',
  },
  { at: 'use_beam_search', needs: whenTrue(unpriced), vendors: 'vLLM' },
];

export const CHAT_FIELDS = fieldTable([...DOCUMENTED, ...OF_VENDORS]);
