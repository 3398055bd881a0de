/** Files of the service's own pages, compressed once, when the function was bundled. */
import { ServiceError } from '../errors.ts';
import type { HttpRequest, StreamedResponse } from '../ports.ts';

export interface CompressedFiles {
  /** A file of the bundle as gzip; undefined when there is none of that name. The name must be checked before. */
  compressed(file: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  gunzip(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
}

/** The headers of a file: its content type, and how long it may be cached. */
export type FileHeaders = Readonly<Record<string, string>>;

export const noSuchFile = (): ServiceError =>
  new ServiceError('not_found', 'There is no such file.', { param: 'file' });

/**
 * Returns a stored compressed file, decompressed for a client that does not accept gzip (RFC 9110, section 12.5.3).
 * Throws 404.
 */
export async function fileResponse(
  request: HttpRequest,
  files: CompressedFiles,
  file: string,
  headers: FileHeaders,
): Promise<StreamedResponse> {
  const bytes = await files.compressed(file);
  if (bytes === undefined) throw noSuchFile();
  const responseHeaders = { ...headers, vary: 'accept-encoding' };
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?(,|$))/i.test(request.headers.get('accept-encoding') ?? '');
  if (!takesGzip) return { headers: responseHeaders, body: whole(await files.gunzip(bytes)) };
  return { headers: { ...responseHeaders, 'content-encoding': 'gzip' }, body: whole(bytes) };
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
