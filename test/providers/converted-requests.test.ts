/**
 * What the service writes itself, for a route of another protocol than the caller's, asks for nothing that has a price
 * of its own: such a request is charged as the plain tokens that are held for it.
 */
import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { ANTHROPIC_MESSAGES } from '../../lambdas/core/inference/levers/anthropic-messages.ts';
import { BEDROCK_CONVERSE } from '../../lambdas/core/inference/levers/bedrock-converse.ts';
import { GEMINI } from '../../lambdas/core/inference/levers/gemini.ts';
import { OPENAI_CHAT } from '../../lambdas/core/inference/levers/openai-chat.ts';
import { OPENAI_RESPONSES } from '../../lambdas/core/inference/levers/openai-responses.ts';
import { demandsOf, type LeverTable } from '../../lambdas/core/inference/levers/table.ts';
import type { Conversation } from '../../lambdas/core/inference/upstream/conversation.ts';
import type { ChatPayload } from '../../lambdas/core/inference/upstream/provider.ts';
import type { JsonObject } from '../../lambdas/core/json/lossless-json.ts';
import { toRequest } from '../../lambdas/providers/anthropic/request.ts';
import { toConverseCall } from '../../lambdas/providers/bedrock/request.ts';
import { toRequestBody as toGeminiBody } from '../../lambdas/providers/gemini/request.ts';
import { toRequestBody } from '../../lambdas/providers/openai/request.ts';
import { toRequestBody as toResponsesBody } from '../../lambdas/providers/responses/request.ts';
import { it } from '../search.ts';
import { rounds } from '../thorough.ts';
import { soundConversation } from './anthropic/conversations.ts';
import { SIGNATURES } from './sealing.ts';

const payloadOf = (
  protocol: ChatPayload['protocol'],
  conversation: Conversation,
  stream: boolean,
): ChatPayload => ({
  protocol,
  body: { service_tier: 'priority', store: true },
  conversation: () => conversation,
  stream,
  needs: [],
  features: [],
  demands: [],
});

type Written = (conversation: Conversation, stream: boolean, reasoning: boolean) => JsonObject;

/** Converse and Gemini take no images by URL: routes of these are no candidates for them. */
const withoutUrls = (conversation: Conversation): boolean =>
  !JSON.stringify(conversation).includes('"kind":"url"');

const WRITTEN: Readonly<Record<string, readonly [LeverTable, Written]>> = {
  'chat completions': [
    OPENAI_CHAT,
    (conversation, stream, reasoning) =>
      toRequestBody(
        payloadOf('anthropic', conversation, stream),
        { upstream_model: 'm', reasoning, dialect: { reasoning_request: 'effort' } },
        SIGNATURES,
      ),
  ],
  Responses: [
    OPENAI_RESPONSES,
    (conversation, stream, reasoning) =>
      toResponsesBody(
        payloadOf('anthropic', conversation, stream),
        { upstream_model: 'm', reasoning },
        SIGNATURES,
      ),
  ],
  Messages: [
    ANTHROPIC_MESSAGES,
    (conversation, stream, reasoning) =>
      toRequest(
        payloadOf('openai', conversation, stream),
        { upstream_model: 'm', reasoning, dialect: { reasoning_request: 'adaptive' } },
        SIGNATURES,
      ).body,
  ],
  Converse: [
    BEDROCK_CONVERSE,
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
    it('has no lever, nor what the caller said in another protocol', () => {
      fc.assert(
        fc.property(soundConversation, fc.boolean(), fc.boolean(), (conversation, stream, reasoning) => {
          expect(demandsOf(table, written(conversation, stream, reasoning))).toEqual([]);
        }),
        { numRuns: rounds(200) },
      );
    });

    it('would have one if the service wrote it', () => {
      const plain: Conversation = { system: [], turns: [], tools: [], maxTokens: 1, stop: [] };
      const body = {
        ...written(plain, false, false),
        service_tier: 'priority',
        // In Gemini's requests it is a name, in either spelling of the field.
        ...(table === GEMINI ? {} : { serviceTier: { type: 'priority' } }),
      };
      expect(demandsOf(table, body)).toEqual([
        expect.objectContaining({ kind: 'service-tier', name: 'priority' }),
      ]);
    });
  },
);
