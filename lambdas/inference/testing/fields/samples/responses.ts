/** Samples of Responses. */
import { OPENAI_SHARED, weather } from './chat.ts';
import { type Row, serverTool, tokens, unpriced, written } from './request-sample.ts';

export const RESPONSES: readonly Row[] = [
  ...OPENAI_SHARED,
  [{ prompt_cache_options: { prewarm: true } }, unpriced('prompt_cache_options.prewarm')],
  [
    {
      prompt_cache_options: { ttl: '30m' },
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi', prompt_cache_breakpoint: {} }] }],
    },
    written('30m', 'input[0].content[0].prompt_cache_breakpoint'),
  ],
  // A breakpoint lives as long as the request says, where it does not say itself.
  [
    {
      prompt_cache_options: { ttl: '12h' },
      input: [{ content: [{ prompt_cache_breakpoint: {} }, { prompt_cache_breakpoint: { ttl: '30m' } }] }],
    },
    written('12h', 'input[0].content[0].prompt_cache_breakpoint'),
    written('30m', 'input[0].content[1].prompt_cache_breakpoint'),
    written('12h', 'prompt_cache_options.ttl'),
  ],
  [{ background: true }, unpriced('background')],
  [{ conversation: 'conv_1' }, unpriced('conversation')],
  [{ previous_response_id: 'resp_1' }, unpriced('previous_response_id')],
  [{ prompt: { id: 'pmpt_1' } }, unpriced('prompt')],
  [{ context_management: [{ type: 'compaction' }] }, unpriced('context_management')],
  [{ reasoning: { mode: 'pro' } }, unpriced('reasoning.mode')],
  [
    { tools: [{ type: 'function', ...weather }, { type: 'web_search' }], max_tool_calls: 3 },
    serverTool('web_search', 'tools[1].type', 3),
  ],
  [
    { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
    serverTool('code_execution', 'tools[0].type'),
  ],
  [{ tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }, unpriced('tools[0].type')],
  [
    { tools: [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g' } }] },
    unpriced('tools[0].type'),
  ],
  [{ tools: [{ type: ['web_search'] }] }, unpriced('tools[0].type')],
  [{ tools: [{ type: 'shell' }] }, serverTool('shell', 'tools[0].type')],
  [{ tools: [{ type: 'image_generation' }] }, unpriced('tools[0].type')],
  [{ tools: [{ type: 'tool_search' }] }, serverTool('tool_search', 'tools[0].type')],
  [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, unpriced('input[0].type')],
  [{ input: [{ type: 'compaction_trigger' }] }, unpriced('input[0].type')],
  [
    { input: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'QUJD' } }] }] },
    tokens('audio_input', 'input[0].content[0].input_audio'),
  ],
];
