import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from '@jest/globals';
import { spoolToDisk } from '../../lambdas/adapters/spool.ts';
import { ServiceError } from '../../lambdas/core/errors.ts';
import { createUploadReader } from '../../lambdas/edge/multipart.ts';

const MAX_FILE_BYTES = 1_000;
const receive = createUploadReader({
  spool: spoolToDisk,
  maxFileBytes: MAX_FILE_BYTES,
  tooLarge: () => new ServiceError('file_too_large', 'file is too large.', { param: 'file' }),
});

const uploadsLeft = () => readdirSync(tmpdir()).filter((name) => name.startsWith('upload-')).length;
const before = uploadsLeft();
afterEach(() => {
  expect(uploadsLeft()).toBeLessThanOrEqual(before);
});

const BOUNDARY = 'x';
const part = (headers: string, content: string) => `--${BOUNDARY}\r\n${headers}\r\n\r\n${content}\r\n`;
const field = (name: string, content: string) =>
  part(`content-disposition: form-data; name="${name}"`, content);
const file = (content: string, name = 'file') =>
  part(
    `content-disposition: form-data; name="${name}"; filename="ä.wav"\r\ncontent-type: audio/wav`,
    content,
  );

/** The body in pieces of so many bytes. */
function request(parts: readonly string[], pieceBytes = 1 << 20, closing = `--${BOUNDARY}--\r\n`): Request {
  const bytes = Buffer.from(parts.join('') + closing);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(new Uint8Array(bytes.subarray(at, at + pieceBytes)));
      at += pieceBytes;
    },
  });
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  return new Request('http://localhost/', { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
}

describe('a form', () => {
  it.each([1, 2, 7, 64, 4_096])(
    'is read the same in pieces of %d bytes, fields after the file too',
    async (piece) => {
      const upload = await receive(
        request([field('a', '1'), file('sound'), field('b', 'ü'), field('a', '2')], piece),
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

  it('takes a file of exactly the limit, and none of a byte more', async () => {
    const largest = await receive(request([file('a'.repeat(MAX_FILE_BYTES))]));
    expect(largest.file?.content.size).toBe(MAX_FILE_BYTES);
    await largest.dispose();
    await expect(receive(request([file('a'.repeat(MAX_FILE_BYTES + 1))]))).rejects.toMatchObject({
      code: 'file_too_large',
    });
  });

  it('tells two files with the same content by nothing, and others by their digest', async () => {
    const digest = async (content: string) => {
      const upload = await receive(request([file(content)]));
      await upload.dispose();
      return upload.file?.sha256;
    };
    expect(await digest('one')).toBe(await digest('one'));
    expect(await digest('one')).not.toBe(await digest('two'));
  });
});

describe('a form that is not whole is refused', () => {
  it.each([
    ['no end', [file('sound')], ''],
    ['an end inside the file', [file('sound').slice(0, -4)], ''],
    ['an end inside a header', [`--${BOUNDARY}\r\ncontent-dispo`], ''],
    ['nothing', [], ''],
    ['another boundary', [file('sound').replaceAll(`--${BOUNDARY}`, '--y')], '--y--\r\n'],
    ['two files', [file('one'), file('two')], undefined],
    ['a field of 64 KB and more', [field('prompt', 'a'.repeat(70_000)), file('sound')], undefined],
  ])('%s', async (_name, parts, closing) => {
    for (const piece of [1 << 20, 5])
      await expect(receive(request(parts, piece, closing))).rejects.toMatchObject({ code: 'invalid_value' });
  });
});
