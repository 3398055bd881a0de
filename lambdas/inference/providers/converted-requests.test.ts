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
import { CHAT_FIELDS } from '../formats/chat/fields.ts';
import { MESSAGES_FIELDS } from '../formats/messages/fields.ts';
import { RESPONSES_FIELDS } from '../formats/responses/fields.ts';
import { soundConversation } from '../testing/providers/anthropic/conversations.ts';
import { convertedPayload, PLAIN } from '../testing/providers/payloads.ts';
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

type Written = (conversation: Conversation, stream: boolean, reasoning: boolean) => JsonObject;

/** Converse and Gemini take no images by URL: routes of these are no candidates for them. */
const withoutUrls = (conversation: Conversation): boolean =>
  !JSON.stringify(conversation).includes('"kind":"url"');

const WRITTEN: Readonly<Record<string, readonly [FieldTable, Written]>> = {
  'chat completions': [
    CHAT_FIELDS,
    (conversation, stream, reasoning) =>
      toRequestBody(
        convertedPayload(conversation, stream),
        { upstream_model: 'm', reasoning, dialect: { reasoning_request: 'effort' } },
        SIGNATURES,
      ),
  ],
  Responses: [
    RESPONSES_FIELDS,
    (conversation, stream, reasoning) =>
      toResponsesBody(convertedPayload(conversation, stream), { upstream_model: 'm', reasoning }, SIGNATURES),
  ],
  Messages: [
    MESSAGES_FIELDS,
    (conversation, stream, reasoning) =>
      toRequest(
        convertedPayload(conversation, stream, 'openai'),
        { upstream_model: 'm', reasoning, dialect: { reasoning_request: 'adaptive' } },
        SIGNATURES,
      ).body,
  ],
  Converse: [
    CONVERSE,
    (conversation, _stream, reasoning) =>
      withoutUrls(conversation)
        ? (toConverseCall(
            conversation,
            { upstream_model: 'anthropic.m', reasoning, dialect: { reasoning_request: 'budget' } },
            SIGNATURES,
          ).request as unknown as JsonObject)
        : {},
  ],
  generateContent: [
    GEMINI,
    (conversation, _stream, reasoning) =>
      withoutUrls(conversation)
        ? toGeminiBody(
            conversation,
            { upstream_model: 'm', reasoning, dialect: { reasoning_request: 'effort' } },
            SIGNATURES,
          )
        : {},
  ],
};

describe.each(Object.entries(WRITTEN))(
  'a conversation as the service writes it in %s',
  (_name, [table, written]) => {
    it('contains no field that its table does not list or that has a separate price', () => {
      fc.assert(
        fc.property(soundConversation, fc.boolean(), fc.boolean(), (conversation, stream, reasoning) => {
          expect(otherFieldsIn(table, written(conversation, stream, reasoning))).toEqual([]);
        }),
        { numRuns: rounds(200) },
      );
    });

    it('fails this check if the service adds a priced field to it', () => {
      const body = { ...written(PLAIN, false, false), service_tier: 'priority' };
      expect(otherFieldsIn(table, body)).toEqual(['service_tier']);
    });
  },
);
