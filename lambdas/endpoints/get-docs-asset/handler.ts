/** Wires `GET /docs/{file}` for Lambda: streamed, because only a stream carries bytes as they are. */
import { createDocsAssets } from '../../adapters/system/docs-assets.ts';
import { front } from '../../edge/front.ts';
import { streamed } from '../../edge/pipelines.ts';
import { createResources } from '../../hosts/resources.ts';
import { getDocsAsset } from './endpoint.ts';

const assets = createDocsAssets(import.meta.dirname);

export const handler = streamed(front(getDocsAsset(assets), 'platform', createResources()));
