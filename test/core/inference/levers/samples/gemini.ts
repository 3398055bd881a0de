/** Samples of Gemini's generateContent. */
import type { JsonObject } from '../../../../../lambdas/core/json/lossless-json.ts';
import { feature, type Row, tier, tokens, unpriced } from './request-sample.ts';

const asked = (fields: JsonObject): JsonObject => ({ generationConfig: fields });
const sent = (fields: JsonObject): JsonObject => ({ contents: [{ role: 'user', parts: [fields] }] });

export const OF_GEMINI: readonly Row[] = [
  [{ serviceTier: 'flex' }, tier('flex', 'serviceTier')],
  [{ service_tier: 'priority' }, tier('priority', 'service_tier')],
  [{ store: true }, unpriced('store')],
  [{ cachedContent: 'cachedContents/1' }, unpriced('cachedContent')],
  [{ continuationToken: 'token' }, unpriced('continuationToken')],
  [{ tools: [{ googleSearch: {} }] }, feature('web_search', 'tools[0].googleSearch')],
  [{ tools: [{ google_search: {} }] }, feature('web_search', 'tools[0].google_search')],
  [{ tools: { urlContext: {} } }, feature('web_fetch', 'tools.urlContext')],
  ...(
    [
      ['googleSearchRetrieval', 'web_search'],
      ['enterpriseWebSearch', 'enterprise_web_search'],
      ['googleMaps', 'google_maps'],
      ['codeExecution', 'code_execution'],
      ['fileSearch', 'file_search'],
      ['retrieval', 'retrieval'],
      ['exaAiSearch', 'exa_ai_search'],
      ['parallelAiSearch', 'parallel_ai_search'],
      ['mcpServers', 'mcp'],
    ] as const
  ).map(([field, name]): Row => [{ tools: [{ [field]: {} }] }, feature(name, `tools[0].${field}`)]),
  [{ tools: [{ functionDeclarations: [], timeTravel: {} }] }, unpriced('tools[0].timeTravel')],
  [
    sent({ inlineData: { mimeType: 'audio/mp3', data: 'QUJD' } }),
    tokens('audio_input', 'contents[0].parts[0].inlineData'),
  ],
  [
    sent({ fileData: { mimeType: 'video/mp4', fileUri: 'https://a' } }),
    tokens('video_input', 'contents[0].parts[0].fileData'),
  ],
  [
    sent({ file_data: { mime_type: 'audio/wav', file_uri: 'https://a' } }),
    tokens('audio_input', 'contents[0].parts[0].file_data'),
  ],
  [sent({ fileData: { fileUri: 'https://a' } }), unpriced('contents[0].parts[0].fileData')],
  [
    asked({ responseModalities: ['TEXT', 'IMAGE'] }),
    tokens('image_output', 'generationConfig.responseModalities'),
  ],
  [asked({ speechConfig: {} }), tokens('audio_output', 'generationConfig.speechConfig')],
  [asked({ imageConfig: { imageSize: '4K' } }), tokens('image_output', 'generationConfig.imageConfig')],
  [asked({ routingConfig: { autoMode: {} } }), unpriced('generationConfig.routingConfig')],
  [asked({ modelSelectionConfig: {} }), unpriced('generationConfig.modelSelectionConfig')],
  [{ modelArmorConfig: { promptTemplateName: 'a' } }, unpriced('modelArmorConfig')],
  [
    asked({ generationOutputConfig: { outputUriPrefix: 'gs://a' } }),
    unpriced('generationConfig.generationOutputConfig'),
  ],
];
