/** PDF documents and audio in the three formats: the same in each of them, for routes that can be given them. */
import { describe, expect, it } from '@jest/globals';
import { toolTurns } from '../../testing/completions/messages/request-fixture.ts';
import { chatPayloadOf, messagesPayloadOf } from '../../testing/completions/payloads.ts';
import { payloadOf as responsesPayload } from '../../testing/completions/responses/requests.ts';
import { capabilitiesOf, featuresOf, pricedFeaturesOf } from '../../testing/fields/needs.ts';
import { promptSizeOf } from '../metering/prompt-size.ts';
import type { ChatPayload } from '../upstream/provider.ts';

const BYTES = 'JVBERi0xLjQK';
const DATA = `data:application/pdf;base64,${BYTES}`;
const URL = 'https://example.com/a.pdf';

const chat = (...content: readonly object[]) => chatPayloadOf({ messages: [{ role: 'user', content }] });
const messages = (...content: readonly object[]) =>
  messagesPayloadOf({ messages: [{ role: 'user', content }] });
const responses = (...content: readonly object[]): ChatPayload =>
  responsesPayload({ input: [{ role: 'user', content }], max_output_tokens: 9 });

const file = (file_data: unknown, more: object = {}) => ({ type: 'file', file: { file_data, ...more } });
const block = (source: object, more: object = {}) => ({ type: 'document', source, ...more });
const inBase64 = { type: 'base64', media_type: 'application/pdf', data: BYTES };
const audio = (format: string, data = 'UklGRg==') => ({ type: 'input_audio', input_audio: { data, format } });

const partsOf = (payload: ChatPayload) => payload.conversation().turns[0]?.parts;

describe('a PDF', () => {
  const bytes = { kind: 'base64', mediaType: 'application/pdf', data: BYTES };

  it.each([
    ['chat', () => chat(file(DATA, { filename: 'a.pdf' }))],
    ['Messages', () => messages(block(inBase64, { title: 'a.pdf' }))],
    ['Responses', () => responses({ type: 'input_file', file_data: DATA, filename: 'a.pdf' })],
  ])('becomes one part of the conversation, with its name: %s', (_format, payload) => {
    expect(partsOf(payload())).toEqual([{ type: 'document', source: bytes, name: 'a.pdf' }]);
    expect([capabilitiesOf(payload()), featuresOf(payload())]).toEqual([['documents'], ['documents']]);
  });

  it.each([
    ['chat', () => chat(file(URL))],
    ['Messages', () => messages(block({ type: 'url', url: URL }))],
    ['Responses', () => responses({ type: 'input_file', file_url: URL })],
  ])('becomes a part with its URL, for routes that fetch it: %s', (_format, payload) => {
    expect(partsOf(payload())).toEqual([{ type: 'document', source: { kind: 'url', url: URL } }]);
    expect(capabilitiesOf(payload())).toEqual(['documents']);
    expect(featuresOf(payload()).sort()).toEqual(['document-urls', 'documents']);
  });

  it.each([
    ['chat', () => chat(file('http://169.254.169.254/latest'))],
    ['Messages', () => messages(block({ type: 'url', url: 'http://10.0.0.1/a.pdf' }))],
    ['Responses', () => responses({ type: 'input_file', file_url: 'http://localhost/a.pdf' })],
  ])('fails validation if its URL is on a private network: %s', (_format, payload) => {
    expect(payload).toThrow(/public internet/);
  });

  it('follows a text part with the caller’s context for it', () => {
    const parts = partsOf(
      messages(block(inBase64, { context: 'Trusted.', cache_control: { type: 'ephemeral' } })),
    );
    expect(parts).toEqual([
      { type: 'text', text: 'Trusted.' },
      { type: 'document', source: bytes, cache: '5m' },
    ]);
  });

  it.each([
    ['that is to be cited', () => messages(block(inBase64, { citations: { enabled: true } }))],
    [
      'in the result of a tool',
      () => messagesPayloadOf({ messages: toolTurns({}, { content: [block(inBase64)] }) }),
    ],
  ])('reaches only routes of the Messages protocol: %s', (_what, payload) => {
    expect(featuresOf(payload())).toContain('messages-blocks');
  });

  it.each([
    ['in the output of a tool', { type: 'input_file', file_data: DATA, filename: 'a.pdf' }],
    ['of another type', { type: 'input_file', file_data: 'data:text/csv;base64,QUJD', filename: 'a.csv' }],
  ])('reaches only routes of the Responses protocol, like any file: %s', (what, part) => {
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
    const payload = what.includes('tool')
      ? responsesPayload({ input: [call, { type: 'function_call_output', call_id: 'c', output: [part] }] })
      : responses(part);
    expect(featuresOf(payload)).toContain('responses-items');
    expect(capabilitiesOf(payload)).toContain('documents');
  });

  it.each([
    ['another type of file', file('data:text/plain;base64,QUJD')],
    ['what is no base64', file('data:application/pdf;base64,a b')],
    ['a text', file('the text')],
    ['nothing', { type: 'file', file: {} }],
    ['the id of a file', file(DATA, { file_id: 'file-1' })],
    ['a text beside it', { ...file(DATA), text: 'hidden' }],
  ])('fails validation: %s', (_what, part) => {
    expect(() => chat(part)).toThrow(/^messages\[0\]\.content\[0\]/);
  });
});

describe('audio', () => {
  it.each(['wav', 'mp3'])('becomes one part of the conversation: %s', (format) => {
    const payload = chat(audio(format));
    expect(partsOf(payload)).toEqual([{ type: 'audio', format, data: 'UklGRg==' }]);
    expect([capabilitiesOf(payload), featuresOf(payload)]).toEqual([['audio'], ['audio']]);
    expect(pricedFeaturesOf(payload)).toMatchObject([{ rate: 'audio_input' }]);
  });

  it.each([
    ['in another format', audio('flac')],
    ['that is no base64', audio('wav', 'a b')],
    ['that is empty', audio('wav', '')],
  ])('causes an error: %s', (_what, part) => {
    expect(() => chat(part)).toThrow(/^messages\[0\]\.content\[0\]/);
  });
});

describe('the size of a prompt', () => {
  const LONG = 'A'.repeat(100_000);
  const sizeOf = (part: object) => promptSizeOf({ messages: [{ role: 'user', content: [part] }] });

  it.each([
    ['a PDF', file(`data:application/pdf;base64,${LONG}`)],
    ['audio', audio('wav', LONG)],
  ])('excludes the bytes of %s and counts it as unseen', (_what, part) => {
    const { unseen, strings } = sizeOf(part);
    expect(unseen).toBe(1);
    expect(strings.join('').length).toBeLessThan(100);
  });

  it.each([
    ['of a file’s name', file(DATA, { filename: 'hidden '.repeat(30) })],
    ['beside the bytes', { ...audio('wav'), more: 'hidden '.repeat(30) }],
    ['in place of the bytes', file('hidden '.repeat(30))],
  ])('includes the text %s', (_what, part) => {
    expect(sizeOf(part).strings.join('')).toContain('hidden hidden');
  });
});
