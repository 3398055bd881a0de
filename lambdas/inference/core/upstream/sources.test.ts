import { describe, expect, it } from '@jest/globals';
import { chatPayloadOf } from '../../testing/completions/payloads.ts';
import { payloadOf } from '../../testing/completions/responses/requests.ts';
import { promptSizeOf } from '../metering/prompt-size.ts';

const PNG = 'iVBORw0KGgo=';
const PDF = 'JVBERi0xLjQ=';

/** Data URLs as browsers, LangChain and pdf libraries write them. */
const IMAGES = [
  `data:image/png;base64,${PNG}`,
  `data:image/png;charset=utf-8;base64,${PNG}`,
  `data:image/png;name=a.png;charset=UTF-8;base64,${PNG}`,
  `DATA:image/PNG;name="a%20b.png";BASE64,${PNG}`,
];
const FILES = [
  `data:application/pdf;base64,${PDF}`,
  `data:application/pdf;filename=generated.pdf;base64,${PDF}`,
  `data:application/pdf;version=1.4;name=a.pdf;base64,${PDF}`,
];
const plainImage = /^data:image\/png;base64,iVBORw0KGgo=$/i;
const plainFile = /^data:application\/pdf;base64,JVBERi0xLjQ=$/;

const chat = (image: string, file: string) =>
  chatPayloadOf({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: image } },
          { type: 'file', file: { filename: 'a.pdf', file_data: file } },
          { type: 'text', text: image },
        ],
      },
    ],
  });
const responses = (image: string, file: string) =>
  payloadOf({
    max_output_tokens: 100,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: image },
          { type: 'input_file', filename: 'a.pdf', file_data: file },
          { type: 'input_text', text: image },
        ],
      },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: image }] },
    ],
  });

describe.each([
  ['chat', chat],
  ['Responses', responses],
] as const)('a data URL with parameters, in %s', (_name, toPayload) => {
  it.each(IMAGES.flatMap((image, at) => [[image, FILES[at] ?? FILES[0] ?? ''] as const]))(
    'reaches routes without them: %s',
    (image, file) => {
      const { body, conversation } = toPayload(image, file);
      const prompt = JSON.parse(JSON.stringify(body.messages ?? body.input));
      const [shown, document, text] = prompt[0].content;
      expect(shown.image_url.url ?? shown.image_url).toMatch(plainImage);
      expect((document.file ?? document).file_data).toMatch(plainFile);
      expect(text.text).toBe(image);
      expect(conversation().turns[0]?.parts.slice(0, 2)).toMatchObject([
        { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: PNG } },
        { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: PDF } },
      ]);
      expect(promptSizeOf(body)).toMatchObject({ unseen: 1 });
    },
  );

  it('fails validation without base64, or with other bytes', () => {
    for (const image of [
      `data:image/png;charset=utf-8,${PNG}`,
      'data:image/png;charset=utf-8;base64,%%%',
      `data:text/html;charset=utf-8;base64,${PNG}`,
      `data:image/png;${'a'.repeat(300)};base64,${PNG}`,
    ])
      expect(() => toPayload(image, FILES[0] ?? '')).toThrow();
  });
});

describe('a data URL elsewhere in a request', () => {
  const image = IMAGES[1] ?? '';

  it('stays as it is in the arguments of a tool call', () => {
    const { body } = chatPayloadOf({
      messages: [
        { role: 'user', content: 'Show it.' },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'c', type: 'function', function: { name: 'show', arguments: `{"url":"${image}"}` } },
          ],
        },
        { role: 'tool', tool_call_id: 'c', content: image },
      ],
    });
    expect(JSON.stringify(body.messages)).toContain(JSON.stringify(`{"url":"${image}"}`));
    const items = payloadOf({
      max_output_tokens: 100,
      input: [
        { type: 'computer_call', call_id: 'c', action: { type: 'open', url: image }, input: { url: image } },
      ],
    });
    expect(JSON.stringify(items.body.input)).toContain(`"input":{"url":"${image}"}`);
  });

  it('hides none of the messages in a field that the format does not have', () => {
    const messages = (url: string) => [
      { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
    ];
    const { body } = chatPayloadOf({ messages: messages(image), input: messages(image) });
    expect(body.messages).toEqual(messages(IMAGES[0] ?? ''));
  });
});
