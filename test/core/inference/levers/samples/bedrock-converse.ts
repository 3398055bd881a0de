/** Samples of Converse. */
import type { JsonObject } from '../../../../../lambdas/core/json/lossless-json.ts';
import { feature, type Row, tier, tokens, unpriced, written } from './request-sample.ts';

const of = (block: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [block] }] });

export const OF_BEDROCK_CONVERSE: readonly Row[] = [
  [{ serviceTier: { type: 'flex' } }, tier('flex', 'serviceTier.type')],
  [{ performanceConfig: { latency: 'optimized' } }, tier('optimized', 'performanceConfig.latency')],
  [of({ cachePoint: { type: 'default', ttl: '1h' } }), written('1h', 'messages[0].content[0].cachePoint')],
  [of({ audio: { format: 'mp3' } }), tokens('audio_input', 'messages[0].content[0].audio')],
  [of({ video: { format: 'mp4' } }), tokens('video_input', 'messages[0].content[0].video')],
  [
    { toolConfig: { tools: [{ systemTool: { name: 'nova_grounding' } }] } },
    feature('web_search', 'toolConfig.tools[0].systemTool.name'),
  ],
  [
    { toolConfig: { tools: [{ systemTool: { name: 'nova_code_interpreter' } }] } },
    feature('code_execution', 'toolConfig.tools[0].systemTool.name'),
  ],
  [
    { toolConfig: { tools: [{ systemTool: { name: 'nova_new' } }] } },
    unpriced('toolConfig.tools[0].systemTool.name'),
  ],
  [{ guardrailConfig: { guardrailIdentifier: 'a' } }, unpriced('guardrailConfig')],
  [
    { additionalModelRequestFields: { speed: 'fast', thinking: { type: 'adaptive' } } },
    unpriced('additionalModelRequestFields'),
  ],
  [{ promptVariables: { name: { text: 'a' } } }, unpriced('promptVariables')],
];
