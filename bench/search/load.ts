/** What a search function holds once it has read the stored index, and how long that takes: a process that does nothing else. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { SearchIndex } from '../../lambdas/core/listings/discovery/search-index.ts';

const MB = 1e6;

const stored = readFileSync(process.argv[2] ?? '');
const startedMs = performance.now();
const index = SearchIndex.parse(gunzipSync(stored).toString('utf8'));
const loadMs = performance.now() - startedMs;
const peakMb = process.resourceUsage().maxRSS / 1000;
globalThis.gc?.();
console.log(
  JSON.stringify({ listings: index.size, loadMs, peakMb, heapMb: process.memoryUsage().heapUsed / MB }),
);
