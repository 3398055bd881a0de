import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ENGINE_PLATFORMS, engineBinary } from './engine.ts';

/** Resolves the file of a package that is installed. */
const installed = (file: string) => `node_modules/${file}`;

describe('the embedded DynamoDB', () => {
  it.each(ENGINE_PLATFORMS)('resolves to an engine by the name of the platform: %s', (platform) => {
    const binary = platform === 'win32-x64' ? 'dynoxide.exe' : 'dynoxide';
    expect(engineBinary(platform, installed)).toBe(`node_modules/@dynoxide/${platform}/${binary}`);
  });

  it('depends on an optional package for each platform', () => {
    const text = readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8');
    const { optionalDependencies } = JSON.parse(text) as { optionalDependencies: Record<string, string> };
    expect(Object.keys(optionalDependencies)).toEqual(ENGINE_PLATFORMS.map((name) => `@dynoxide/${name}`));
  });

  it.each(['freebsd-x64', 'linux-riscv64', 'linux'])(
    'rejects %s: the error names it, the supported platforms and the alternative',
    (platform) => {
      expect(() => engineBinary(platform, installed)).toThrow(
        `supports ${ENGINE_PLATFORMS.join(', ')}, not ${platform}: start another DynamoDB`,
      );
    },
  );

  it('names the package and the alternative if it is not installed', () => {
    const missing = () => {
      throw new Error('Cannot find module');
    };
    expect(() => engineBinary('darwin-arm64', missing)).toThrow(
      '@dynoxide/darwin-arm64, the embedded DynamoDB, is not installed: run npm ci again, or start another',
    );
  });
});
