/** Wires `GET /console/{file}` for Lambda: streamed, because only a stream carries bytes as they are. */
import { createCompressedFiles } from '../../adapters/system/compressed-files.ts';
import { streamed } from '../../edge/pipelines.ts';
import { createRequestHandler } from '../../edge/request-handler.ts';
import { createResources } from '../../hosts/resources.ts';
import { getConsoleAsset } from './endpoint.ts';

const files = createCompressedFiles(import.meta.dirname);

export const handler = streamed(createRequestHandler(getConsoleAsset(files), 'platform', createResources()));
