/** On a schedule: builds the stored search index anew when listings have changed. */
import {
  buildIndex,
  type IndexBuild,
  type IndexBuildDependencies,
} from '../../core/listings/discovery/search-build.ts';

export interface BuildSearchIndexDependencies extends IndexBuildDependencies {
  /** Receives the size of each build. */
  readonly onBuilt: (build: IndexBuild) => void;
}

export function buildSearchIndex({ onBuilt, ...dependencies }: BuildSearchIndexDependencies) {
  return async (): Promise<IndexBuild | null> => {
    const build = await buildIndex(dependencies);
    if (build !== undefined) onBuilt(build);
    return build ?? null;
  };
}
