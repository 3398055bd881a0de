/**
 * Levers of Gemini's generateContent (Gemini API reference, Generating content, as in the package `@google/genai` 3.1.0;
 * Gemini API pricing), in the names of its REST requests. Each may be written in snake case as well (ProtoJSON).
 */
import { isJsonObject } from '../../json/lossless-json.ts';
import { feature, outputKinds, tier, tokens, unlessEmpty, unpriced, whenTrue } from './readers.ts';
import { leverTable, type Reader } from './table.ts';

/** By its media type; without one it may be a video, as a YouTube address is. */
const media: Reader = (value, place) => {
  const type = isJsonObject(value) ? (value.mimeType ?? value.mime_type) : undefined;
  if (typeof type !== 'string') return unpriced(value, place);
  if (/^audio\//i.test(type)) return tokens('audio_input')(value, place);
  return /^video\//i.test(type) ? tokens('video_input')(value, place) : [];
};

const PARTS = ['contents[].parts[]', 'systemInstruction.parts[]'].flatMap((parts) => [
  parts,
  `${parts}.functionResponse.parts[]`,
]);

/** Tools that Google runs, by their field; an empty object asks for one. */
const PROVIDED = {
  googleSearch: 'web_search',
  googleSearchRetrieval: 'web_search',
  enterpriseWebSearch: 'enterprise_web_search',
  googleMaps: 'google_maps',
  urlContext: 'web_fetch',
  codeExecution: 'code_execution',
  fileSearch: 'file_search',
  retrieval: 'retrieval',
  exaAiSearch: 'exa_ai_search',
  parallelAiSearch: 'parallel_ai_search',
  mcpServers: 'mcp',
} as const;

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const GEMINI = leverTable(
  [
    { field: 'serviceTier', read: tier('unspecified', 'standard', 'SERVICE_TIER_UNSPECIFIED') },
    { field: 'store', read: whenTrue(unpriced) },
    { field: 'cachedContent', read: unlessEmpty(unpriced) },
    { field: 'continuationToken', read: unlessEmpty(unpriced) },
    ...Object.entries(PROVIDED).map(([name, feat]) => ({ field: `tools[].${name}`, read: feature(feat) })),
    {
      field: 'tools[].*',
      at: ['tools[].*'],
      except: ['functionDeclarations', 'computerUse'],
      read: unpriced,
    },
    {
      field: 'contents[].parts[].inlineData',
      at: PARTS.map((part) => `${part}.inlineData`),
      read: media,
    },
    { field: 'contents[].parts[].fileData', at: PARTS.map((part) => `${part}.fileData`), read: media },
    { field: 'generationConfig.responseModalities', read: outputKinds },
    { field: 'generationConfig.speechConfig', read: tokens('audio_output') },
    { field: 'generationConfig.imageConfig', read: tokens('image_output') },
    // Another model than the route's may answer.
    { field: 'generationConfig.routingConfig', read: unpriced },
    { field: 'generationConfig.modelSelectionConfig', read: unpriced },
    { field: 'modelArmorConfig', read: unlessEmpty(unpriced) },
    // The answer is kept in a bucket.
    { field: 'generationConfig.generationOutputConfig', read: unlessEmpty(unpriced) },
  ],
  (name) => [...new Set([name, snakeCase(name)])],
);
