/** The memory of each function, which also sets its share of a CPU. */
import type { FunctionName } from './grants.ts';

/** The cost model compares sizes; this is the design's default. */
const DEFAULT_MB = 512;

const MEMORY_MB: Readonly<Partial<Record<FunctionName, number>>> = {
  // 50,000 listings: 0.6 GB while the index is read, and as much CPU as makes that a second or two.
  'search-listings': 1536,
  // The same index as objects, as text and compressed, all at once; 2 vCPU's worth ends at about 3.5 GB.
  'build-search-index': 2048,
  // A build of 50 MB, and up to 256 MB of nested archives.
  'record-scans': 1024,
  // Two catalogs of 20,000 models as text and as objects: 0.65 GB, and 10 s of a whole core.
  'watch-prices': 1024,
  // The same number of models as above, within the 28 s of a buffered response.
  'get-operator-catalog': 2048,
  'list-operator-routes': 2048,
};

export const memoryOf = (name: FunctionName): number => MEMORY_MB[name] ?? DEFAULT_MB;
