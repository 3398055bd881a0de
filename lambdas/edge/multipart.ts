/** A multipart form read as a stream (RFC 7578): its fields into memory, its one file onto disk. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import { ServiceError } from '../core/errors.ts';
import type { ReceiveUpload, SpooledFile, Upload } from '../core/inference/transcriptions/ports.ts';

/** Writes bytes as they come, and holds none of them in memory. */
export type Spool = (bytes: AsyncIterable<Uint8Array>) => Promise<SpooledFile>;

export interface MultipartOptions {
  readonly spool: Spool;
  /** The largest file that is taken. */
  readonly maxFileBytes: number;
  /** What is said of a larger one. */
  readonly tooLarge: () => ServiceError;
}

/** Prompts are sentences; more than this is a file in the wrong place. */
const FIELD_BYTES = 64 * 1024;
const MAX_FIELDS = 64;
const MAX_FILES = 4;

const FILE_FIELD = 'file';

/** What has come of a form; the first thing that is wrong with it is what its sender is told. */
class Form {
  readonly fields: [string, string][] = [];
  readonly #options: MultipartOptions;
  problem: ServiceError | undefined;
  #name = '';
  #file: Promise<SpooledFile> | undefined;

  constructor(options: MultipartOptions) {
    this.#options = options;
  }

  takeField(name: string, value: string, truncated: boolean): void {
    if (truncated) this.refuse(`${name} is longer than ${FIELD_BYTES} bytes.`, name);
    else this.fields.push([name, value]);
  }

  takeFile(field: string, stream: Readable, name = ''): void {
    // A form that breaks off fails the file's stream too, perhaps before anything reads it.
    stream.on('error', () => {});
    // Busboy goes on only when each file's stream has been read.
    if (field !== FILE_FIELD || this.#file !== undefined || this.problem !== undefined) {
      if (field === FILE_FIELD) this.refuse('The form has more than one file; send one.', FILE_FIELD);
      stream.resume();
      return;
    }
    stream.once('limit', () => {
      this.problem ??= this.#options.tooLarge();
    });
    this.#name = name;
    this.#file = this.#options.spool(stream);
    this.#file.catch(() => {});
  }

  refuse(message: string, param: string): void {
    this.problem ??= new ServiceError('invalid_value', message, { param });
  }

  async toUpload(): Promise<Upload> {
    const file = await this.#file;
    return {
      fields: this.fields,
      file: file === undefined ? undefined : { ...file, name: this.#name },
      dispose: async () => file?.dispose(),
    };
  }

  async discard(): Promise<void> {
    const file = await this.#file?.catch(() => undefined);
    await file?.dispose();
  }
}

/** Reads forms; see `ReceiveUpload`. A refused form is read to its end, because its sender reads no answer before. */
export function createUploadReader(options: MultipartOptions): ReceiveUpload {
  return async (request) => {
    const form = new Form(options);
    const parser = createParser(request.headers, options.maxFileBytes);
    parser
      .on('field', (name, value, { valueTruncated }) => form.takeField(name, value, valueTruncated))
      .on('file', (field, stream, { filename }) => form.takeFile(field, stream, filename))
      .on('fieldsLimit', () => form.refuse(`The form has more than ${MAX_FIELDS} fields.`, FILE_FIELD))
      .on('filesLimit', () => form.refuse('The form has more than one file; send one.', FILE_FIELD));
    try {
      if (request.body === null) throw malformed();
      await pipeline(Readable.fromWeb(request.body as Parameters<typeof Readable.fromWeb>[0]), parser);
      if (form.problem !== undefined) throw form.problem;
      return await form.toUpload();
    } catch (failure) {
      await form.discard();
      throw toRefusal(failure, form, options);
    }
  };
}

function createParser(headers: Headers, maxFileBytes: number) {
  const type = headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw new ServiceError(
      'unsupported_media_type',
      'Send the body as a form with "Content-Type: multipart/form-data".',
    );
  }
  try {
    return busboy({
      headers: { 'content-type': type },
      defParamCharset: 'utf8',
      limits: {
        // One more byte tells a file of the largest size from a larger one.
        fileSize: maxFileBytes + 1,
        fieldSize: FIELD_BYTES,
        fields: MAX_FIELDS,
        files: MAX_FILES,
      },
    });
  } catch {
    throw malformed();
  }
}

const malformed = () =>
  new ServiceError(
    'invalid_value',
    'The form is malformed or not complete: its parts do not end as its boundary says.',
    { param: FILE_FIELD },
  );

/** What was wrong first; the host's own refusal of a body means that the file in it was too large. */
function toRefusal(failure: unknown, { problem }: Form, { tooLarge }: MultipartOptions): unknown {
  if (problem !== undefined) return problem;
  if (!(failure instanceof ServiceError)) return malformed();
  return failure.code === 'request_too_large' ? tooLarge() : failure;
}
