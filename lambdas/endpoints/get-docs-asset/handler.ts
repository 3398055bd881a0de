/** Wires `GET /docs/{file}` for Lambda: streamed, because only a stream carries bytes as they are. */
import { createDocsAssets } from '../../adapters/system/docs-assets.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { front } from '../../edge/front.ts';
import { streamed } from '../../edge/pipelines.ts';
import { getDocsAsset } from './endpoint.ts';

const assets = createDocsAssets(import.meta.dirname);

export const handler = streamed(
  front(getDocsAsset(assets), 'platform', { clock: systemClock, ulid: systemUlid, log: createLog() }),
);
