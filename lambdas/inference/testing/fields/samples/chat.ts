/** Samples of chat completions, those of other hosts last. */
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { messages, type Row, serverTool, tier, tokens, unpriced, written } from './request-sample.ts';

/** A chat message of one part, beside a text. */
const part = (content: JsonObject): JsonObject => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, content] }],
});

export const weather = { name: 'weather', parameters: { type: 'object' } };
const PART = 'messages[0].content[1]';

/** Samples of fields that Responses has too. */
export const OPENAI_SHARED: readonly Row[] = [
  [{ service_tier: 'priority' }, tier('priority', 'service_tier')],
  [{ service_tier: 'fast' }, tier('fast', 'service_tier')],
  [{ service_tier: ['priority'] }, unpriced('service_tier')],
  [{ service_tier: 'x'.repeat(65) }, unpriced('service_tier')],
  [{ store: true }, unpriced('store')],
  [{ store: 'true' }, unpriced('store')],
  [{ moderation: { model: 'omni-moderation-latest' } }, unpriced('moderation')],
  [{ prompt_cache_retention: '24h' }, written('24h', 'prompt_cache_retention')],
  [{ prompt_cache_options: { ttl: '12h' } }, written('12h', 'prompt_cache_options.ttl')],
];

export const CHAT: readonly Row[] = [
  ...OPENAI_SHARED,
  [
    { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'mp3' } },
    tokens('audio_output', 'modalities'),
    tokens('audio_output', 'audio'),
  ],
  [{ modalities: ['image', 'text'] }, tokens('image_output', 'modalities')],
  [{ modalities: ['text', 'video'] }, unpriced('modalities')],
  [
    { ...part({ type: 'input_audio', input_audio: { data: 'QUJD', format: 'wav' } }) },
    tokens('audio_input', `${PART}.input_audio`),
  ],
  [
    { messages: [...messages, { role: 'assistant', content: 'Hi', audio: { id: 'audio_1' } }] },
    tokens('audio_input', 'messages[1].audio'),
  ],
  [
    part({ type: 'text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit' } }),
    written('30m', `${PART}.prompt_cache_breakpoint`),
  ],
  [
    { prediction: { type: 'content', content: [{ type: 'text', text: 'const a = 1;' }] } },
    { kind: 'output', strings: ['const a = 1;'], param: 'prediction' },
  ],
  [
    { prediction: { type: 'content', content: 'all of it' } },
    { kind: 'output', strings: ['all of it'], param: 'prediction' },
  ],
  [{ prediction: { type: 'content', content: ['text', { image: 'a' }] } }, unpriced('prediction')],
  [{ web_search_options: {} }, serverTool('web_search', 'web_search_options')],
  [{ tools: [{ type: 'web_search' }] }, serverTool('web_search', 'tools[0].type')],
  [{ tools: [{ type: 'function', function: weather }, { type: '$new' }] }, unpriced('tools[1].type')],
  // Of hosts.
  [
    part({ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }),
    written('5m', `${PART}.cache_control`),
  ],
  [
    { tools: [{ type: 'function', function: { ...weather, cache_control: { ttl: '1h' } } }] },
    written('1h', 'tools[0].function.cache_control'),
  ],
  [part({ type: 'audio_url', audio_url: { url: 'a' } }), tokens('audio_input', `${PART}.audio_url`)],
  [part({ type: 'video_url', video_url: { url: 'a' } }), tokens('video_input', `${PART}.video_url`)],
  [part({ type: 'video', video: ['a'] }), tokens('video_input', `${PART}.video`)],
  [{ image_config: { image_size: '4K' } }, tokens('image_output', 'image_config')],
  [{ search_parameters: { mode: 'auto' } }, serverTool('live_search', 'search_parameters')],
  [{ search_parameters: { max_search_results: 5 } }, serverTool('live_search', 'search_parameters', 5)],
  [{ deferred: true }, unpriced('deferred')],
  [
    { plugins: [{ id: 'web' }, { id: 'file-parser' }] },
    serverTool('web_search', 'plugins[0]'),
    unpriced('plugins[1]'),
  ],
  [{ preset: 'dear' }, unpriced('preset')],
  [{ reasoning: { mode: 'pro' } }, unpriced('reasoning.mode')],
  [{ enable_search: true }, serverTool('web_search', 'enable_search')],
  [{ search_options: { forced_search: true } }, serverTool('web_search', 'search_options')],
  [{ enable_code_interpreter: true }, serverTool('code_execution', 'enable_code_interpreter')],
  [{ enable_thinking: true }, tier('thinking', 'enable_thinking')],
  [{ vl_high_resolution_images: true }, unpriced('vl_high_resolution_images')],
  [{ web_search: { enable: true } }, serverTool('web_search', 'web_search')],
  [{ enable_enhancement: true }, serverTool('web_search', 'enable_enhancement')],
  [{ force_search_enhancement: true }, serverTool('web_search', 'force_search_enhancement')],
  [{ enable_deep_search: true }, unpriced('enable_deep_search')],
  [{ compound_custom: { tools: {} } }, unpriced('compound_custom')],
  [{ speculation: 'all of it' }, { kind: 'output', strings: ['all of it'], param: 'speculation' }],
  [{ speculation: [1, 2] }, unpriced('speculation')],
  [{ safety_model: 'guard' }, unpriced('safety_model')],
  [{ safe_prompt: true }, unpriced('safe_prompt')],
  [{ guardrails: ['pii'] }, unpriced('guardrails')],
  [{ fallbacks: ['dearer'] }, unpriced('fallbacks')],
  [{ data_sources: [{ type: 'azure_search' }] }, unpriced('data_sources')],
  [{ providerOptions: { gateway: { order: ['a'] } } }, unpriced('providerOptions')],
  [{ thinking_budget: 8, max_tokens: 16 }, tier('thinking', 'thinking_budget')],
  [{ thinking_budget: 17, max_tokens: 16 }, tier('thinking', 'thinking_budget'), unpriced('thinking_budget')],
  [{ chat_template: '{{ messages }}' }, unpriced('chat_template')],
  [
    { chat_template_kwargs: { chat_template: 'a', thinking_budget: 38_912 }, max_tokens: 16 },
    unpriced('chat_template_kwargs.chat_template'),
    unpriced('chat_template_kwargs.thinking_budget'),
  ],
  [{ thinking_token_budget: '16' }, unpriced('thinking_token_budget')],
  [{ thinking_budget_tokens: -1 }, unpriced('thinking_budget_tokens')],
  [{ reasoning_budget_tokens: 1e9, max_completion_tokens: 16 }, unpriced('reasoning_budget_tokens')],
  [{ n_predict: -1, max_tokens: 16 }, unpriced('n_predict')],
  [{ num_predict: [1], max_tokens: 16 }, unpriced('num_predict')],
  [{ options: { num_predict: 17 }, max_tokens: 16 }, unpriced('options.num_predict')],
  [{ parameters: { max_new_tokens: 17 }, max_tokens: 16 }, unpriced('parameters.max_new_tokens')],
  ...['max_new_tokens', 'max_output_tokens', 'min_tokens'].map(
    (name): Row => [{ [name]: 17, max_tokens: 16 }, unpriced(name)],
  ),
  ...['best_of', 'num_return_sequences', 'candidate_count'].map(
    (name): Row => [{ [name]: 2 }, unpriced(name)],
  ),
  [{ use_beam_search: true }, unpriced('use_beam_search')],
];
