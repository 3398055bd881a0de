/** Wires `GET /docs/{file}` for Lambda: streamed, because only a stream carries bytes as they are. */
import { createDocsAssets } from '../../adapters/system/docs-assets.ts';
import { streamed } from '../../edge/pipelines.ts';
import { createRequestHandler } from '../../edge/request-handler.ts';
import { createResources } from '../../hosts/resources.ts';
import { getDocsAsset } from './endpoint.ts';

const assets = createDocsAssets(import.meta.dirname);

export const handler = streamed(createRequestHandler(getDocsAsset(assets), 'platform', createResources()));
