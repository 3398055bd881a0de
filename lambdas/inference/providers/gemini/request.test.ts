import { describe, expect, it } from '@jest/globals';
import type { Conversation } from '../../core/upstream/conversation.ts';
import { PLAIN } from '../../testing/providers/payloads.ts';
import { SIGNATURES, signaturesFor } from '../../testing/providers/sealing.ts';
import { assistant, text, toolCall, toolResult, user } from '../../testing/providers/turns.ts';
import { sealSignature } from './content.ts';
import { toRequestBody } from './request.ts';

const TARGET = { upstream_model: 'gemini-3-pro', reasoning: false };

const bodyOf = (
  conversation: Partial<Conversation>,
  route: Partial<Parameters<typeof toRequestBody>[1]> = {},
) => toRequestBody({ ...PLAIN, maxTokens: 4_000, ...conversation }, { ...TARGET, ...route }, SIGNATURES);

const TOOL = { name: 'f', description: 'd', parameters: { type: 'object' } };

describe('a request of generateContent', () => {
  it('contains everything for which the protocol has a field', () => {
    const format = { type: 'json-schema', schema: { type: 'object' } } as const;
    expect(
      bodyOf({
        system: ['Be brief.'],
        turns: [user('Hi')],
        tools: [TOOL],
        toolChoice: { type: 'tool', name: 'f' },
        temperature: 2,
        topP: 0.5,
        stop: ['1', '2', '3', '4', '5', '6'],
        format,
      }),
    ).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [
        { functionDeclarations: [{ name: 'f', description: 'd', parametersJsonSchema: { type: 'object' } }] },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      generationConfig: {
        maxOutputTokens: 4_000,
        temperature: 2,
        topP: 0.5,
        stopSequences: ['1', '2', '3', '4', '5', '6'],
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object' },
      },
    });
  });

  it.each(['auto', 'any', 'none'] as const)('converts the choice %s to a mode', (type) => {
    const mode = type.toUpperCase();
    expect(bodyOf({ tools: [TOOL], toolChoice: { type } })).toMatchObject({
      toolConfig: { functionCallingConfig: { mode } },
    });
  });

  it.each([
    ['budget', { effort: 'none' }, { thinkingBudget: 0 }],
    ['budget', { maxTokens: 2_000 }, { includeThoughts: true, thinkingBudget: 2_000 }],
    ['effort', { effort: 'none' }, { thinkingLevel: 'MINIMAL' }],
    ['effort', { effort: 'max' }, { includeThoughts: true, thinkingLevel: 'HIGH' }],
    [undefined, { effort: 'high' }, undefined],
  ] as const)('requests reasoning by %s: %j', (mode, reasoning, thinkingConfig) => {
    const dialect = mode === undefined ? {} : { reasoning_request: mode };
    const { generationConfig } = bodyOf({ reasoning }, { dialect });
    expect(generationConfig).toEqual({
      maxOutputTokens: 4_000,
      ...(thinkingConfig === undefined ? {} : { thinkingConfig }),
    });
  });
});

describe('its contents', () => {
  const call = (id: string, name: string) => toolCall(id, name, '{"a":12345678901234567890}');
  const TURNS: Conversation['turns'] = [
    user('Hi'),
    assistant(
      { type: 'reasoning', text: 'Hm', signature: sealSignature('c2ln', SIGNATURES) },
      call('1', 'f'),
      call('2', 'g'),
    ),
    { role: 'system', parts: [text('Hurry.')] },
    user('And?', toolResult('2', '2', true), toolResult('1', '1')),
  ];

  it('alternate, with results by id and name first, and the signature with its call', () => {
    const body = JSON.stringify(bodyOf({ turns: TURNS }).contents);
    expect(body).toContain('12345678901234567890');
    expect(bodyOf({ turns: TURNS }).contents).toEqual([
      { role: 'user', parts: [{ text: 'Hi' }] },
      {
        role: 'model',
        parts: [
          { functionCall: expect.objectContaining({ id: '1', name: 'f' }), thoughtSignature: 'c2ln' },
          { functionCall: expect.objectContaining({ id: '2', name: 'g' }) },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: '2', name: 'g', response: { error: '2' } } },
          { functionResponse: { id: '1', name: 'f', response: { output: '1' } } },
          { text: 'And?' },
          { text: expect.stringContaining('Hurry.') },
        ],
      },
    ]);
  });

  it('omit ids and placeholder signatures for a model before Gemini 3', () => {
    const turns = [user('Hi'), assistant(call('1', 'f'))];
    expect(JSON.stringify(bodyOf({ turns }))).toContain('skip_thought_signature_validator');
    const earlier = JSON.stringify(bodyOf({ turns }, { upstream_model: 'gemini-2.5-pro' }));
    expect(earlier).not.toMatch(/skip_thought|"id"/);
  });

  it('contain a placeholder for the signature of another route', () => {
    const signature = sealSignature('c2ln', signaturesFor('sim-b'));
    const turns = [user('Hi'), assistant({ type: 'reasoning', text: '', signature }, call('1', 'f'))];
    const written = JSON.stringify(bodyOf({ turns }));
    expect(written).toContain('skip_thought_signature_validator');
    expect(written).not.toContain('c2ln');
  });

  it('start with a user message, whatever the conversation starts with', () => {
    const turns = [assistant('Yes')];
    expect(bodyOf({ turns }).contents).toEqual([
      { role: 'user', parts: [{ text: 'Begin.' }] },
      { role: 'model', parts: [{ text: 'Yes' }] },
    ]);
    expect(bodyOf({}).contents).toEqual([{ role: 'user', parts: [{ text: 'Begin.' }] }]);
  });

  it('hold images inline, and no address of one', () => {
    const image = (source: object) =>
      ({ turns: [{ role: 'user', parts: [{ type: 'image', source }] }] }) as object;
    expect(bodyOf(image({ kind: 'base64', mediaType: 'image/jpg', data: 'aGk=' })).contents).toEqual([
      { role: 'user', parts: [{ inlineData: { mimeType: 'image/jpeg', data: 'aGk=' } }] },
    ]);
    expect(() => bodyOf(image({ kind: 'url', url: 'https://a.example/b' }))).toThrow('415');
  });
});
