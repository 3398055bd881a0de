/** PDF documents and audio as a route of each protocol receives them, in the forms that vendors document. */
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../core/catalog/catalog-document.ts';
import type { Conversation, UserPart } from '../core/upstream/conversation.ts';
import { UpstreamFailure } from '../core/upstream/provider.ts';
import { foreignPayload } from '../testing/providers/anthropic/fixtures.ts';
import { convertedPayload, PLAIN } from '../testing/providers/payloads.ts';
import { SIGNATURES } from '../testing/providers/sealing.ts';
import { toRequest as toAnthropic } from './anthropic/request.ts';
import { toConverseCall } from './bedrock/request.ts';
import { toRequestBody as toGemini } from './gemini/request.ts';
import { toRequestBody as toOpenAi } from './openai/request.ts';
import { toRequestBody as toResponses } from './responses/request.ts';

const route = { upstream_model: 'm', reasoning: false } as CatalogRoute;

const conversationOf = (...parts: readonly UserPart[]): Conversation => ({
  ...PLAIN,
  turns: [{ role: 'user', parts }],
});

/** The content of the one message. */
const WRITTEN = {
  openai: (one: Conversation) =>
    (toOpenAi(convertedPayload(one), route, SIGNATURES).messages as JsonObject[])[0]?.content,
  responses: (one: Conversation) =>
    (toResponses(convertedPayload(one), route, SIGNATURES).input as JsonObject[])[0]?.content,
  anthropic: (one: Conversation) =>
    (toAnthropic(foreignPayload(one), route, SIGNATURES).body.messages as JsonObject[])[0]?.content,
  bedrock: (one: Conversation) => toConverseCall(one, route, SIGNATURES).request.messages?.[0]?.content,
  gemini: (one: Conversation) => (toGemini(one, route, SIGNATURES).contents as JsonObject[])[0]?.parts,
};

const PDF: UserPart = {
  type: 'document',
  source: { kind: 'base64', mediaType: 'application/pdf', data: 'JVBERg==' },
  name: 'Bericht_2026 «Łódź».pdf',
};
const { name: _name, ...UNNAMED } = PDF;
const LINKED: UserPart = { type: 'document', source: { kind: 'url', url: 'https://example.com/a.pdf' } };
const AUDIO: UserPart = { type: 'audio', format: 'mp3', data: 'SUQz' };
const TEXT: UserPart = { type: 'text', text: 'What is it?' };
const DATA_URL = 'data:application/pdf;base64,JVBERg==';

describe('a PDF', () => {
  it('goes to each protocol in its own form, under its name where the protocol has one', () => {
    const conversation = conversationOf(PDF, TEXT);
    expect(WRITTEN.openai(conversation)).toEqual([
      { type: 'file', file: { filename: PDF.name, file_data: DATA_URL } },
      { type: 'text', text: 'What is it?' },
    ]);
    expect(WRITTEN.responses(conversation)).toEqual([
      { type: 'input_file', filename: PDF.name, file_data: DATA_URL },
      { type: 'input_text', text: 'What is it?' },
    ]);
    expect(WRITTEN.anthropic(conversation)).toEqual([
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' },
        title: PDF.name,
      },
      { type: 'text', text: 'What is it?' },
    ]);
    expect(WRITTEN.bedrock(conversation)).toEqual([
      { document: { format: 'pdf', name: 'Bericht 2026 d pdf [1]', source: { bytes: Buffer.from('%PDF') } } },
      { text: 'What is it?' },
    ]);
    expect(WRITTEN.gemini(conversation)).toEqual([
      { inlineData: { mimeType: 'application/pdf', data: 'JVBERg==' } },
      { text: 'What is it?' },
    ]);
  });

  it('receives a file name for OpenAI, and a unique name next to a text for Converse', () => {
    const conversation = conversationOf(UNNAMED as UserPart, UNNAMED as UserPart);
    expect(WRITTEN.openai(conversation)).toMatchObject([{ file: { filename: 'document.pdf' } }, {}]);
    expect(WRITTEN.responses(conversation)).toMatchObject([{ filename: 'document.pdf' }, {}]);
    expect(WRITTEN.anthropic(conversation)).not.toHaveProperty('0.title');
    expect(WRITTEN.bedrock(conversation)).toMatchObject([
      { document: { name: 'Document [1]' } },
      { document: { name: 'Document [2]' } },
      { text: '(document)' },
    ]);
  });

  it('passes as an address only to protocols that fetch it, and fails for others', () => {
    const conversation = conversationOf(LINKED, TEXT);
    expect(WRITTEN.anthropic(conversation)).toMatchObject([
      { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
      {},
    ]);
    expect(WRITTEN.responses(conversation)).toMatchObject([
      { type: 'input_file', file_url: 'https://example.com/a.pdf' },
      {},
    ]);
    for (const written of [WRITTEN.bedrock, WRITTEN.gemini])
      expect(() => written(conversation)).toThrow(UpstreamFailure);
  });
});

describe('audio', () => {
  it('goes to protocols that have a form for it, and to no other', () => {
    const conversation = conversationOf(AUDIO, TEXT);
    expect(WRITTEN.openai(conversation)).toMatchObject([
      { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
      {},
    ]);
    expect(WRITTEN.gemini(conversation)).toMatchObject([
      { inlineData: { mimeType: 'audio/mp3', data: 'SUQz' } },
      {},
    ]);
    for (const written of [WRITTEN.anthropic, WRITTEN.bedrock, WRITTEN.responses])
      expect(() => written(conversation)).toThrow(UpstreamFailure);
  });
});
