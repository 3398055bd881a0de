/** `GET /console/{file}`: the scripts and styles of the web console. */

import { fileResponse, noSuchFile } from '../../../platform/core/api/file-response.ts';
import type { StreamingEndpoint } from '../../../platform/core/ports.ts';
import { createResources } from '../../../platform/handlers/resources.ts';
import { streamed } from '../../../platform/http/pipelines.ts';
import { createRequestHandler } from '../../../platform/http/request-handler.ts';
import { createCompressedFiles } from '../../../platform/system/compressed-files.ts';

/** Each is named by a hash of what is in it, so that it never changes. */
const FOREVER = 'public, max-age=31536000, immutable';

const TYPES: ReadonlyMap<string, string> = new Map([
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
]);

/** The file names of the bundler, such as `console-BM5ZZFCH.js`. */
const FILE = /^[a-z-]+-[A-Z0-9]{8}\.(js|css)$/;

const files = createCompressedFiles(import.meta.dirname);

const getConsoleAsset: StreamingEndpoint = async (request, { pathParameters: { file = '' } }) => {
  const type = TYPES.get(FILE.exec(file)?.[1] ?? '');
  if (type === undefined) throw noSuchFile();
  return fileResponse(request, files, file, { 'content-type': type, 'cache-control': FOREVER });
};

/** Streamed, because only a stream transmits bytes unchanged. */
export const handler = streamed(createRequestHandler(getConsoleAsset, 'platform', createResources()));
