import { describe, expect, it } from '@jest/globals';
import { CONTEXTS, LAYERS, layerOf, rejection, TESTING } from './layers.ts';
import { filesIn, modulesIn, read, sourceModules } from './source-tree.ts';
import { importsOf, parse } from './syntax.ts';

const dependencies: ReadonlySet<string> = new Set(
  Object.keys((JSON.parse(read('package.json')) as { dependencies: object }).dependencies),
);
const testing = modulesIn('lambdas').filter(({ path }) => TESTING.test(path) && !path.endsWith('.test.ts'));
const modules = [...sourceModules(), ...testing];

/** Spelled out of line, so that no reader takes it for a path of this file's own. */
const upward = (levels: number): string => '../'.repeat(levels);

const why = (path: string, source: string): (string | undefined)[] =>
  importsOf(parse(source)).map((target) => rejection({ path }, target, dependencies));

describe('imports', () => {
  it('follow the arrows of the design, types included', () => {
    const rejected = modules.flatMap((module) =>
      module.imports.flatMap((target) => rejection(module, target, dependencies) ?? []),
    );
    expect(rejected).toEqual([]);
  });

  it('come from every layer that has modules, so that every rule applies to some module', () => {
    const present = new Set(modules.map(({ path }) => layerOf(path)?.name));
    const idle = LAYERS.filter(({ name }) => !present.has(name)).map(({ name }) => name);
    expect(idle).toEqual([]);
  });

  it('obey a table of contexts that lists each folder of the service', () => {
    const folders = new Set(filesIn('lambdas').map((path) => path.split('/')[1]));
    expect([...folders].sort()).toEqual(Object.keys(CONTEXTS).sort());
  });
});

describe('the check of imports', () => {
  it.each([
    ['bin/app.ts', "import '../lambdas/app/routes.ts';"],
    ['console/src/main.tsx', "import '../../lambdas/platform/core/money.ts';"],
    ['console/src/main.tsx', "import 'node:fs';"],
    ['lib/app.ts', "import type { Log } from '../lambdas/platform/core/ports.ts';"],
    ['lib/app.ts', "import '../tools/local/runtime.ts';"],
    ['lambdas/access/routes.ts', "export * from './core/policy.ts';"],
    ['lambdas/access/routes.ts', "import 'node:fs';"],
    ['lambdas/ledger/core/ports.ts', "export { TABLES } from '../../platform/contract/tables.ts';"],
    ['lambdas/ledger/core/ports.ts', "import '../../inference/core/ports.ts';"],
    [
      'lambdas/access/endpoints/create-session/handler.ts',
      `import '${upward(3)}ledger/store/usage-store.ts';`,
    ],
    ['lambdas/access/store/keys/key-store.ts', "import '../../ledger/store/usage-store.ts';"],
    ['lambdas/platform/core/money.ts', "const sdk = await import('@aws-sdk/client-dynamodb');"],
    ['lambdas/platform/core/money.ts', "import { readFile } from 'node:fs/promises';"],
    ['lambdas/platform/core/money.ts', "type T = import('../aws/clients.ts').DynamoClients;"],
    ['lambdas/platform/core/money.ts', 'const module = await import(name);'],
    ['lambdas/inference/providers/openai/stream.ts', `import '${upward(3)}app/routes.ts';`],
    ['lambdas/ledger/store/create-ledger.ts', "import '../../platform/http/request-handler.ts';"],
    ['lambdas/platform/http/request-handler.ts', "import '../system/logger.ts';"],
    ['lambdas/platform/http/request-handler.ts', `import '${upward(3)}tools/local/runtime.ts';`],
    ['lambdas/platform/http/request-handler.ts', "import 'esbuild';"],
    ['lambdas/webhooks/endpoints/get-webhook/endpoint.ts', "import '../list-webhooks/endpoint.ts';"],
    ['lambdas/webhooks/endpoints/get-webhook/endpoint.ts', "import './handler.ts';"],
    ['lambdas/webhooks/endpoints/get-webhook/endpoint.ts', `import '${upward(3)}platform/http/envelope.ts';`],
    ['lambdas/inference/endpoints/get-model/handler.ts', `import '${upward(4)}lib/app.ts';`],
    ['lambdas/ledger/consumers/sweep-holds/consumer.ts', "import '../../store/usage-store.ts';"],
    ['tools/local/runtime.ts', "import '../test-kit/engine.ts';"],
    ['lambdas/access/testing/accounts.ts', "import '../../ledger/store/usage-store.ts';"],
    ['lambdas/access/testing/accounts.ts', `import '${upward(3)}tools/local/runtime.ts';`],
    ['lambdas/access/testing/accounts.ts', `import type { Stage } from '${upward(3)}test/system/stage.ts';`],
    ['scripts/run.ts', "import 'node:fs';"],
  ])('rejects in %s: %s', (path, source) => {
    expect(why(path, source)).toEqual([expect.stringContaining(path)]);
  });

  it.each([
    ['lib/app.ts', "import { ROUTES } from '../lambdas/app/routes.ts'; import { App } from 'aws-cdk-lib';"],
    ['lambdas/platform/core/money.ts', "import * as z from 'zod'; import { createHmac } from 'node:crypto';"],
    [
      'lambdas/platform/http/pipelines.ts',
      "import type { Context } from 'aws-lambda'; import middy from '@middy/core';",
    ],
    [
      'lambdas/webhooks/endpoints/get-webhook/endpoint.ts',
      `import './schema.ts'; import '${upward(3)}platform/core/ports.ts';`,
    ],
    ['lambdas/inference/endpoints/get-model/handler.ts', `import '${upward(3)}ledger/store/usage-store.ts';`],
    ['lambdas/inference/core/paid-endpoint.ts', "import '../../ledger/core/admission.ts';"],
    [
      'lambdas/access/testing/accounts.ts',
      `import '../../platform/testing/file-database.ts'; import '${upward(3)}tools/test-kit/seed.ts';`,
    ],
    ['lambdas/access/testing/accounts.ts', "import { it } from '@jest/globals'; import '../store/keys.ts';"],
    ['tools/bench/run.ts', "import '../test-kit/database.ts';"],
    ['tools/local/runtime.ts', "import { TABLES } from '../../lambdas/platform/contract/tables.ts';"],
  ])('accepts in %s: %s', (path, source) => {
    expect(why(path, source)).toEqual([undefined, undefined].slice(0, importsOf(parse(source)).length));
  });
});
