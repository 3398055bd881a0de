import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect } from '@jest/globals';
import { it } from '../../../tools/test-kit/search.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import { ServiceError } from '../core/errors.ts';
import { spoolToDisk } from '../system/spool.ts';
import {
  BOUNDARY,
  bodyOf,
  FORM_TYPE,
  field,
  file,
  forEach,
  mutatedForms,
  openUploads,
  part,
} from '../testing/mutated-forms.ts';
import { createUploadReader, type MultipartOptions } from './multipart.ts';

const MAX_FILE_BYTES = 1_000;

/** Cut and changed at random. */
const FORMS = rounds(1_000);

const readerOf = (maxFileBytes: number, spool: MultipartOptions['spool'] = spoolToDisk) =>
  createUploadReader({
    spool,
    maxFileBytes,
    tooLarge: () => new ServiceError('file_too_large', 'file is too large.', { param: 'file' }),
  });

const receive = readerOf(MAX_FILE_BYTES);
const receiveAny = readerOf(1 << 20);

/** Returns the uploads that this process has left. Other processes have theirs in the same folder. */
const uploadsLeft = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`upload-${process.pid}-`));
afterEach(() => {
  expect(uploadsLeft()).toEqual([]);
  expect(openUploads()).toBe(0);
});

const END = `--${BOUNDARY}--\r\n`;
const sound = file(Buffer.from('sound'), 'ä.wav');

/** A request with these parts in pieces of `piece` bytes. */
function request(parts: readonly (Buffer | string)[], piece = 1 << 20, closing = END): Request {
  const bytes = Buffer.concat([...parts, closing].map((each) => Buffer.from(each)));
  const { body } = bodyOf(bytes, { piece });
  const init = { method: 'POST', headers: FORM_TYPE, body, duplex: 'half' } as RequestInit;
  return new Request('http://localhost/', init);
}

describe('a form', () => {
  it.each([1, 2, 7, 64, 4_096])(
    'yields the same content in reads of %d bytes, with fields after the file',
    async (fragment) => {
      const upload = await receive(
        request([field('a', '1'), sound, field('b', 'ü'), field('a', '2')], fragment),
      );
      expect(upload.fields).toEqual([
        ['a', '1'],
        ['b', 'ü'],
        ['a', '2'],
      ]);
      expect(upload.file?.name).toBe('ä.wav');
      expect(await upload.file?.content.text()).toBe('sound');
      // Again, as a second route would read it.
      expect(await upload.file?.content.slice(1, 3).text()).toBe('ou');
      await upload.dispose();
    },
  );

  it('accepts a file of exactly the limit, and rejects one byte more', async () => {
    const largest = await receive(request([file(Buffer.alloc(MAX_FILE_BYTES))]));
    expect(largest.file?.content.size).toBe(MAX_FILE_BYTES);
    await largest.dispose();
    await expect(receive(request([file(Buffer.alloc(MAX_FILE_BYTES + 1))]))).rejects.toMatchObject({
      code: 'file_too_large',
    });
  });

  it('yields the same digest for files with the same content, and another for other files', async () => {
    const digest = async (content: string) => {
      const upload = await receive(request([file(Buffer.from(content))]));
      await upload.dispose();
      return upload.file?.sha256;
    };
    expect(await digest('one')).toBe(await digest('one'));
    expect(await digest('one')).not.toBe(await digest('two'));
  });
});

describe('an invalid form', () => {
  it.each<readonly [string, readonly (Buffer | string)[], string?]>([
    ['no end', [sound], ''],
    ['an end inside the file', [sound.subarray(0, -4)], ''],
    ['an end inside a header', [`--${BOUNDARY}\r\ncontent-dispo`], ''],
    ['nothing', [], ''],
    ['another boundary', [String(sound).replaceAll(`--${BOUNDARY}`, '--y')], '--y--\r\n'],
    ['two files', [sound, sound]],
    ['a field without a name', [part('content-disposition: form-data', 'a'), sound]],
    ['a field whose name is empty', [field('', 'a'), sound]],
    ['a file without a name', [part('content-disposition: form-data; filename="a.wav"', 'a'), sound]],
    ['a file in another field', [String(sound).replace('"file"', '"image"'), sound]],
    [
      'a charset that nobody knows',
      [
        part('content-disposition: form-data; name="a"\r\ncontent-type: text/plain; charset=none', 'a'),
        sound,
      ],
    ],
    ['more parts than a form has', [...Array.from({ length: 200 }, () => part('x-a: b', '')), sound]],
    ['a header of 100 KB', [part(`content-disposition: ${'a'.repeat(100_000)}`, 'a'), sound]],
    ['a field of 64 KB and more', [field('prompt', 'a'.repeat(70_000)), sound]],
  ])('causes an error: %s', async (_name, parts, closing) => {
    for (const fragment of [1 << 20, 5])
      await expect(receive(request(parts, fragment, closing))).rejects.toMatchObject({
        code: 'invalid_value',
      });
  });
});

describe('the grammar of a form', () => {
  it('ends at its closing boundary, whatever follows it', async () => {
    const closed = [field('a', '1'), END, sound.subarray(0, -3)];
    for (const fragment of [1 << 20, 60])
      expect(await receive(request(closed, fragment, ''))).toMatchObject({
        fields: [['a', '1']],
        file: undefined,
      });
  });

  it.each(['utf-16le', 'utf-16', 'ucs2', 'base64'])(
    'rejects the charset %s and decodes nothing',
    async (charset) => {
      const type = `content-disposition: form-data; name="a"\r\ncontent-type: text/plain; charset=${charset}`;
      for (let length = 0; length < 40; length += 1)
        await expect(receive(request([part(type, 'a'.repeat(length)), sound]))).rejects.toMatchObject({
          code: 'invalid_value',
          param: 'a',
        });
    },
  );

  it.each([
    ['a\\"b', 'a"b'],
    ['a;b', 'a;b'],
    ['ü', 'ü'],
  ])('preserves the name %s', async (written, name) => {
    const upload = await receive(request([field(written, '1')]));
    expect(upload.fields).toEqual([[name, '1']]);
  });

  it('accepts percent-encoded names, and other common charsets', async () => {
    const headers =
      "content-disposition: form-data; name*=utf-8''%c3%bc\r\ncontent-type: text/plain;charset=iso-8859-1";
    expect((await receive(request([part(headers, 'a')]))).fields).toEqual([['ü', 'a']]);
  });

  it('ends the reading of a malformed part before a file', async () => {
    const broken = [part('a: b\r\nno colon', 'a'), sound];
    for (const fragment of [1 << 20, 60])
      await expect(receive(request(broken, fragment))).rejects.toMatchObject({ code: 'invalid_value' });
  });

  it('passes on the error of a full disk unchanged', async () => {
    const full = readerOf(MAX_FILE_BYTES, async (bytes) => {
      for await (const _ of bytes) throw new Error('no space left');
      throw new Error('nothing came');
    });
    await expect(full(request([sound, field('a', '1')], 40))).rejects.toThrow('no space left');
  });
});

it('the reader accepts or rejects each randomly cut and changed form', async () => {
  let [read, rejectedCount] = [0, 0];
  const otherFields: unknown[] = [];
  await forEach(mutatedForms(FORMS), async ({ body }) => {
    const requestInit = { method: 'POST', headers: FORM_TYPE, body, duplex: 'half' } as RequestInit;
    try {
      const upload = await receiveAny(new Request('http://localhost/', requestInit));
      read += 1;
      for (const [name, value] of upload.fields)
        if (!name || typeof value !== 'string') otherFields.push(name);
      await upload.dispose();
    } catch (failure) {
      if (failure instanceof ServiceError && failure.status === 400) rejectedCount += 1;
      else otherFields.push(failure);
    }
  });
  expect(otherFields).toEqual([]);
  expect(read).toBeGreaterThan(FORMS / 25);
  expect(rejectedCount).toBeGreaterThan(FORMS / 10);
});
