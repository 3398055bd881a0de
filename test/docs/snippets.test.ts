import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { describeService } from '../../lambdas/app/operations.ts';
import { ROOT, rowOf } from './pages.ts';
import {
  BILL,
  classOf,
  commandsOf,
  type Description,
  describedBy,
  readDocument,
  readerOf,
  SNIPPETS,
  snippetsIn,
  snippetsOf,
} from './snippets.ts';

type Node = Readonly<Record<string, unknown>>;

const service = describeService() as Node;
const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Follows a `$ref`. */
const resolve = (node: Node): Node =>
  typeof node.$ref === 'string' ? resolve(at(node.$ref.slice(2).split('/'))) : node;
const at = (path: readonly string[]): Node =>
  path.reduce<Node>((node, name) => resolve(node[name] as Node), service);

/** Returns what is wrong with a document by its description. */
function objectionsTo(document: Node, { path, method, status, field }: Description): readonly string[] {
  const operation = at(['paths', path, method]);
  const message = (
    status === undefined ? operation.requestBody : (operation.responses as Node)[status]
  ) as Node;
  const { schema } = (message.content as Node)['application/json'] as { schema: Node };
  const whole = resolve(schema);
  const part = field === undefined ? whole : resolve((whole.properties as Node)[field] as Node);
  // A document is the value of the field, or one of its entries.
  const described = field === undefined || field in document ? part : resolve(part.items as Node);
  const validate = ajv.compile({ ...described, components: service.components });
  const value = field !== undefined && field in document ? document[field] : document;
  return validate(value) ? [] : (validate.errors ?? []).map((each) => `${each.instancePath} ${each.message}`);
}

/** The configuration of a collector: components by name, and the names that each pipeline has of them. */
interface CollectorConfig {
  readonly [components: string]: Readonly<Record<string, unknown>>;
  readonly service: {
    readonly extensions: readonly string[];
    readonly pipelines: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  };
}

describe('a block of code', () => {
  it('belongs to a class, which says how it is shown to be true', () => {
    expect(SNIPPETS.length).toBeGreaterThan(90);
    const rows = SNIPPETS.map((snippet) => [snippet.place, ...(classOf(snippet) ?? ['none'])] as const);
    const list = rows.map((row) => rowOf(...row));
    mkdirSync(join(ROOT, 'test-results'), { recursive: true });
    writeFileSync(join(ROOT, 'test-results', 'snippets.md'), `${list.join('\n')}\n`);
    expect(rows.filter(([, name]) => name === 'none')).toEqual([]);
  });

  it.each(snippetsIn('document').map(({ place, text }) => [place, text]))(
    'states a document that its reader or its description accepts: %s',
    (_place, text) => {
      const document = readDocument(text);
      expect(readerOf(document)).toBeDefined();
      const description = describedBy(document);
      if (description !== undefined) expect(objectionsTo(document, description)).toEqual([]);
    },
  );

  it.each([
    ['an unknown program', '```bash\nmake all\n```'],
    ['an unknown program after others', '```bash\nnpm ci\nrm -rf x\n```'],
    ['an unknown language', '```ruby\nputs 1\n```'],
    ['no language', '```\nnpm ci\n```'],
  ])('belongs to no class with %s', (_what, text) => {
    expect(snippetsOf(text, 'docs/page.md').map(classOf)).toEqual([undefined]);
  });

  it.each(snippetsIn('collector').map(({ place, text }) => [place, text]))(
    'configures a collector whose pipelines name what it defines, and all of it: %s',
    (_place, text) => {
      const { service: running, ...components } = parse(text) as CollectorConfig;
      const named = [{ extensions: running.extensions }, ...Object.values(running.pipelines)].flatMap((row) =>
        Object.entries(row).flatMap(([kind, names]) => names.map((name) => `${kind} ${name}`)),
      );
      const defined = Object.entries(components).flatMap(([kind, each]) =>
        Object.keys(each).map((name) => `${kind} ${name}`),
      );
      expect([...new Set(named)].sort()).toEqual(defined.sort());
    },
  );

  it('does not pass as a document that nothing reads, or that its description rejects', () => {
    expect(readerOf({ nothing: 1 })).toBeUndefined();
    expect(objectionsTo({ item: 1 }, BILL)).not.toEqual([]);
    expect(commandsOf("npm start   # Here.\ncurl x \\\n  -d '{\n}'")).toEqual([
      'npm start',
      "curl x -d '{ }'",
    ]);
  });
});
