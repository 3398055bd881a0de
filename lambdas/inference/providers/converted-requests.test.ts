/**
 * The absence of separate prices in requests that the service writes for a route of another protocol than the caller's.
 * Such a request is charged as the plain tokens that are held for it.
 */
import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import type { JsonObject } from '../../platform/core/json/lossless-json.ts';
import { isPriced } from '../core/fields/need.ts';
import { readFields } from '../core/fields/read-fields.ts';
import { type FieldTable, fieldTable } from '../core/fields/table.ts';
import type { Conversation } from '../core/upstream/conversation.ts';
import type { ChatPayload } from '../core/upstream/provider.ts';
import { CHAT_FIELDS } from '../formats/chat/fields.ts';
import { MESSAGES_FIELDS } from '../formats/messages/fields.ts';
import { RESPONSES_FIELDS } from '../formats/responses/fields.ts';
import { soundConversation } from '../testing/providers/anthropic/conversations.ts';
import { convertedPayload } from '../testing/providers/payloads.ts';
import { SIGNATURES } from '../testing/providers/sealing.ts';
import { toRequest } from './anthropic/request.ts';
import { toConverseCall } from './bedrock/request.ts';
import { toRequestBody as toGeminiBody } from './gemini/request.ts';
import { toRequestBody } from './openai/request.ts';
import { toRequestBody as toResponsesBody } from './responses/request.ts';

/** Everything that the service writes in Converse: nothing in it has a price of its own. */
const CONVERSE = fieldTable([
  { at: '{modelId,inferenceConfig,outputConfig,additionalModelResponseFieldPaths}' },
  { at: 'messages[].role' },
  { at: 'messages[].content[].{text,image,document,toolUse,reasoningContent}' },
  { at: 'messages[].content[].toolResult.{toolUseId,status}' },
  { at: 'messages[].content[].toolResult.content[].{text,json,image,document}' },
  { at: 'system[].text' },
  { at: 'toolConfig.tools[].toolSpec' },
  { at: 'toolConfig.toolChoice' },
  // How much a model thinks is output, at the price of output.
  { at: 'additionalModelRequestFields.{thinking,output_config,reasoning_effort}' },
]);

/** The same in generateContent. */
const GEMINI = fieldTable([
  { at: 'contents[].role' },
  { at: 'contents[].parts[].{text,thought,thoughtSignature,functionCall,functionResponse}' },
  { at: 'contents[].parts[].inlineData.{mimeType,data}' },
  { at: 'systemInstruction.parts[].text' },
  { at: 'tools[].functionDeclarations' },
  { at: 'toolConfig.functionCallingConfig' },
  { at: 'generationConfig.{maxOutputTokens,temperature,topP,stopSequences,thinkingConfig}' },
  { at: 'generationConfig.{responseMimeType,responseJsonSchema}' },
]);

/** The fields of a request that its table does not list, or that ask for something with a price of its own. */
function otherFieldsIn(table: FieldTable, request: JsonObject): readonly string[] {
  const { needs, undocumented } = readFields(table, request);
  return [...undocumented.map(({ pattern }) => pattern), ...needs.filter(isPriced).map(({ param }) => param)];
}

type Route = Parameters<typeof toRequestBody>[1];
type Mode = NonNullable<Route['dialect']>['reasoning_request'];
type Written = (payload: ChatPayload, route: Route) => JsonObject;

/** Converse and Gemini take no images by URL: routes of these are no candidates for them. */
const withoutUrls =
  (write: (conversation: Conversation, route: Route) => unknown): Written =>
  (payload, route) => {
    const conversation = payload.conversation();
    const hasUrl = JSON.stringify(conversation).includes('"kind":"url"');
    return (hasUrl ? {} : write(conversation, route)) as JsonObject;
  };

const WRITTEN: readonly (readonly [string, FieldTable, Mode, Written])[] = [
  ['chat completions', CHAT_FIELDS, 'effort', (...call) => toRequestBody(...call, SIGNATURES)],
  ['Responses', RESPONSES_FIELDS, 'effort', (...call) => toResponsesBody(...call, SIGNATURES)],
  [
    'Messages',
    MESSAGES_FIELDS,
    'adaptive',
    (payload, route) => toRequest({ ...payload, protocol: 'openai' }, route, SIGNATURES).body,
  ],
  ['Converse', CONVERSE, 'budget', withoutUrls((...call) => toConverseCall(...call, SIGNATURES).request)],
  ['generateContent', GEMINI, 'effort', withoutUrls((...call) => toGeminiBody(...call, SIGNATURES))],
];

describe.each(WRITTEN)('a conversation as the service writes it in %s', (_name, table, mode, written) => {
  const routeWith = (reasoning: boolean): Route => ({
    upstream_model: 'anthropic.m',
    reasoning,
    dialect: { reasoning_request: mode },
  });

  it('contains no field that its table does not list or that has a separate price', () => {
    fc.assert(
      fc.property(soundConversation, fc.boolean(), fc.boolean(), (conversation, stream, reasoning) => {
        const request = written(convertedPayload(conversation, stream), routeWith(reasoning));
        expect(otherFieldsIn(table, request)).toEqual([]);
      }),
      { numRuns: rounds(200) },
    );
  });

  it('fails this check if the service adds a priced field to it', () => {
    const body = { ...written(convertedPayload(), routeWith(false)), service_tier: 'priority' };
    expect(otherFieldsIn(table, body)).toEqual(['service_tier']);
  });
});
