/**
 * Deviations of vendors from the OpenAI protocol, by name. Each entry describes the vendor's models in general. A model
 * that differs overrides it on its route. Sources: the vendor's API reference as cited, and "pi", the table of hosts in
 * `earendil-works/pi` (packages/ai/src/api/openai-completions.ts). All were read in November 2026.
 */
import type { Dialect } from './dialect.ts';

/** Sampling fields of servers that run open models. */
const SAMPLING = ['top_k', 'min_p', 'repetition_penalty'];

/** Variables of chat templates: what is thought counts within the limit of the output there. */
const TEMPLATE_SWITCHES = ['enable_thinking', 'thinking', 'thinking_budget', 'reasoning_effort'].map(
  (name) => `chat_template_kwargs.${name}`,
);

/** Cache breakpoints as the Messages protocol has them. */
const BREAKPOINTS = ['cache_control', 'messages[].cache_control', 'messages[].content[].cache_control'];

/** Marks the last message as the start of the response. */
const PREFIX = 'messages[].prefix';

/** The common flags of hosts that follow the older half of the protocol (pi). */
const OLDER: Dialect = { developer_role: false, max_tokens_field: 'max_tokens', store: false };

export const PRESETS = {
  /**
   * DeepSeek API docs, Thinking mode (`thinking`, two efforts, `reasoning_content` of tool calls) and Context caching,
   * which a system message amid the conversation breaks (`farion1231/cc-switch` 7252).
   */
  deepseek: {
    ...OLDER,
    reasoning_request: 'switch',
    reasoning_efforts: ['high', 'max'],
    reasoning_return: 'reasoning_content',
    system_messages: 'first',
    passes: [PREFIX],
  },
  /** Kimi API docs, Thinking models; Moonshot's JSON Schema (`vercel/ai` 9435df8); pi. */
  moonshot: {
    ...OLDER,
    reasoning_request: 'switch',
    reasoning_return: 'reasoning_content',
    strict_tools: false,
    schemas: 'simple',
    passes: ['messages[].partial'],
  },
  /** Z.ai docs, Thinking mode, Preserved thinking; pi. */
  zai: {
    ...OLDER,
    reasoning_request: 'switch',
    reasoning_return: 'reasoning_content',
    passes: ['do_sample', 'tool_stream'],
  },
  /** xAI docs, Reasoning: most models reason by default and reject `reasoning_effort`; pi. */
  xai: { developer_role: false, store: false, reasoning_request: 'none', passes: ['search_parameters'] },
  /** Mistral docs, Chat completion (unknown fields are rejected), Reasoning (`prompt_mode`), Function calling. */
  mistral: {
    ...OLDER,
    reasoning_request: 'prompt_mode',
    stream_options: false,
    tool_call_ids: 'nine-characters',
    passes: [PREFIX, 'random_seed', 'prompt_mode', 'safe_prompt'],
  },
  /** Groq docs, Reasoning; OpenAI compatibility. */
  groq: {
    developer_role: false,
    store: false,
    reasoning_request: 'effort',
    passes: ['reasoning_format', 'include_reasoning'],
  },
  /** Cerebras docs, Reasoning; Chat completions; pi. */
  cerebras: {
    developer_role: false,
    max_tokens_field: 'max_completion_tokens',
    store: false,
    reasoning_request: 'effort',
    reasoning_efforts: ['none', 'low', 'medium', 'high'],
  },
  /** Together AI docs, Reasoning (`reasoning: {enabled}`); pi. */
  together: { ...OLDER, reasoning_request: 'reasoning_enabled', strict_tools: false, passes: SAMPLING },
  /** NVIDIA NIM docs, Thinking; pi (texts in parts are mirrored by DeepSeek there). */
  nvidia: {
    ...OLDER,
    reasoning_request: 'chat_template_kwargs',
    strict_tools: false,
    text_content: 'string',
    passes: [...SAMPLING, ...TEMPLATE_SWITCHES],
  },
  /** Ollama docs, OpenAI compatibility: `reasoning_effort` of four steps. */
  ollama: {
    ...OLDER,
    reasoning_request: 'effort',
    reasoning_efforts: ['none', 'low', 'medium', 'high'],
  },
  /** LM Studio docs, Chat completions, Supported payload parameters. */
  lmstudio: { ...OLDER, reasoning_request: 'none', passes: ['top_k', 'repeat_penalty'] },
  /** llama.cpp, tools/server/README.md, POST /completion and POST /v1/chat/completions. */
  llamacpp: {
    ...OLDER,
    reasoning_request: 'chat_template_kwargs',
    reasoning_return: 'reasoning_content',
    passes: [
      'top_k',
      'min_p',
      'typical_p',
      'repeat_penalty',
      'repeat_last_n',
      'mirostat',
      'mirostat_tau',
      'mirostat_eta',
      'grammar',
      'json_schema',
      'cache_prompt',
      'reasoning_format',
      ...TEMPLATE_SWITCHES,
    ],
  },
  /** vLLM docs, Reasoning outputs: switches of chat templates; the text is `reasoning`. */
  vllm: {
    reasoning_request: 'chat_template_kwargs',
    reasoning_return: 'reasoning',
    passes: [
      ...SAMPLING,
      'stop_token_ids',
      'structured_outputs',
      'thinking_token_budget',
      ...TEMPLATE_SWITCHES,
    ],
  },
  /** SGLang docs, Reasoning parser: switches of chat templates; the text is `reasoning_content`. */
  sglang: {
    reasoning_request: 'chat_template_kwargs',
    reasoning_return: 'reasoning_content',
    passes: [...SAMPLING, 'stop_token_ids', 'regex', 'ebnf', 'separate_reasoning', ...TEMPLATE_SWITCHES],
  },
  /** Perplexity docs, Sonar chat completions: texts and their options alone; system messages first. */
  perplexity: { ...OLDER, parallel_tool_calls: false, strict_tools: false, system_messages: 'first' },
  /** OpenRouter docs, Reasoning tokens; pi. */
  openrouter: {
    developer_role: false,
    reasoning_request: 'reasoning',
    passes: [
      ...BREAKPOINTS,
      'tools[].cache_control',
      ...SAMPLING,
      'top_a',
      'transforms',
      'usage',
      'plugins',
      'image_config',
    ],
  },
  /** Alibaba Cloud Model Studio, Deep thinking: `enable_thinking` and `thinking_budget`; pi. */
  qwen: {
    ...OLDER,
    reasoning_request: 'enable_thinking',
    passes: [
      ...BREAKPOINTS,
      'top_k',
      'enable_thinking',
      'thinking_budget',
      'enable_search',
      'search_options',
      'enable_code_interpreter',
    ],
  },
  /** Fireworks docs, Reasoning; pi. */
  fireworks: {
    developer_role: false,
    store: false,
    reasoning_request: 'effort',
    passes: [...SAMPLING, 'speculation'],
  },
  /** DeepInfra docs, Reasoning; OpenAI API. */
  deepinfra: { developer_role: false, store: false, reasoning_request: 'effort', passes: SAMPLING },
  /** Gemini API docs, OpenAI compatibility: Thinking, Thought signatures; Gemini's schemas (`vercel/ai` da78d58). */
  'gemini-compat': {
    developer_role: false,
    store: false,
    reasoning_request: 'effort',
    reasoning_efforts: ['none', 'minimal', 'low', 'medium', 'high'],
    reasoning_return: 'thought_signature',
    schemas: 'simple',
    passes: ['extra_body.google.thinking_config'],
  },
} satisfies Readonly<Record<string, Dialect>>;

export type PresetName = keyof typeof PRESETS;
