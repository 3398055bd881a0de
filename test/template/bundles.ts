/** The bundles that the set-up of the template ring creates once for all its test files. */
import { readFileSync } from 'node:fs';
import type { Metafile } from 'esbuild';
import { fileOf } from './assemblies.ts';

export const BUNDLES_FOLDER = 'bundles';
export const METAFILE = 'metafile.json';

/** The bundles of all functions, as they are deployed. */
export const bundlesFolder = (): string => fileOf(BUNDLES_FOLDER);

/** esbuild's account of what went into each bundle. */
export const bundlesMetafile = (): Metafile => JSON.parse(readFileSync(fileOf(METAFILE), 'utf8')) as Metafile;
