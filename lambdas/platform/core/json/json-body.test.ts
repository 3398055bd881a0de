import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { ServiceError } from '../errors.ts';
import { readJson, validate } from './json-body.ts';

const schema = z.strictObject({
  temperature: z.number().max(2).optional(),
  above: z.number().gt(0).optional(),
  n: z.int().min(1).max(4).optional(),
  step: z.number().multipleOf(5).optional(),
  messages: z.array(z.string()).min(1).max(2).optional(),
  pair: z.array(z.string()).length(2).optional(),
  name: z.string().min(3).max(4).optional(),
  stream: z.boolean().optional(),
  format: z.literal('wav').optional(),
  size: z.enum(['small', 'large']).optional(),
  part: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.enum(['image', 'file']) }),
    ])
    .optional(),
  either: z.union([z.string(), z.number()]).optional(),
});

describe('a compressed body', () => {
  const requestWith = (coding: string) =>
    ({
      headers: new Headers({ 'content-type': 'application/json', 'content-encoding': coding }),
      text: async () => '{}',
    }) as unknown as Parameters<typeof readJson>[0];

  it.each(['gzip', 'br', 'GZIP', 'deflate, gzip', 'zstd'])(
    'fails with an error that says so: %s',
    async (coding) => {
      await expect(readJson(requestWith(coding))).rejects.toMatchObject({
        code: 'unsupported_media_type',
        message: expect.stringContaining('compressed'),
      });
    },
  );

  it('differs from one of the coding `identity`', async () => {
    expect((await readJson(requestWith('identity'))).value).toEqual({});
  });
});

describe('the message about a field', () => {
  it.each([
    [{ temperature: 3 }, 'temperature: must be at most 2.'],
    [{ temperature: 'hot' }, 'temperature: must be a number.'],
    [{ above: 0 }, 'above: must be more than 0.'],
    [{ n: 9 }, 'n: must be at most 4.'],
    [{ n: 1.5 }, 'n: must be a whole number.'],
    [{ n: 0 }, 'n: must be at least 1.'],
    [{ step: 7 }, 'step: must be a multiple of 5.'],
    [{ messages: [] }, 'messages: must not be empty.'],
    [{ messages: ['a', 'b', 'c'] }, 'messages: must have at most 2 items.'],
    [{ messages: 'a' }, 'messages: must be an array.'],
    [{ messages: [1] }, 'messages[0]: must be a string.'],
    [{ pair: ['a'] }, 'pair: must have exactly 2 items.'],
    [{ name: 'a' }, 'name: must have at least 3 characters.'],
    [{ name: 'abcde' }, 'name: must have at most 4 characters.'],
    [{ stream: 'yes' }, 'stream: must be true or false.'],
    [{ format: 'mp3' }, 'format: must be wav.'],
    [{ size: 'huge' }, 'size: must be one of small, large.'],
    [{ part: { type: 'sound' } }, 'part.type: must be one of text, image, file.'],
    [{ either: true }, 'either: has none of the accepted forms.'],
    [{ colour: 'red' }, 'colour: is no field of this request.'],
  ])('says of %j: %s', (body, message) => {
    expect(() => validate(schema, body)).toThrow(new ServiceError('invalid_value', message));
  });

  it('names a field that the schema does not know', () => {
    expect(() => validate(z.object({ policy: schema }), { policy: { colour: 'red' } })).toThrow(
      new ServiceError('invalid_value', 'policy: may not have the field "colour".'),
    );
  });

  it('leaves a schema its own words', () => {
    expect(() => validate(z.object({ n: z.int().max(4, 'is too much') }), { n: 5 })).toThrow(
      new ServiceError('invalid_value', 'n: is too much.'),
    );
  });
});

describe('the message about a body that is not JSON', () => {
  it.each([
    ['{"model": "m",\n "n": 1 "top_p": 1}', 'The body is not valid JSON at line 2, column 9.'],
    ['{"model": "m"', 'The body is not valid JSON at line 1, column 14.'],
    ['{"model":', 'The body is not valid JSON: it ends too early.'],
    ['{"secret": yes}', 'The body is not valid JSON at line 1, column 12.'],
    ['[}', 'The body is not valid JSON at line 1, column 2.'],
    ['{"a": 1,\n"b": tru_, "c": 1}', 'The body is not valid JSON at line 2, column 9.'],
    [`[${'1, '.repeat(10_000)}]`, 'The body is not valid JSON.'],
  ])('says of %j: %s', async (body, message) => {
    const headers = { 'content-type': 'application/json' };
    const request = new Request('https://service.test', { method: 'POST', headers, body });
    await expect(readJson(request)).rejects.toThrow(new ServiceError('invalid_json', message));
  });
});
