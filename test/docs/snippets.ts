/** The blocks of code of all pages, each in the class that says how it is shown to be true. */

import { parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import { prices } from '../../lambdas/inference/core/pricing/prices.ts';
import { parseConfig, SETTINGS } from '../../lib/config/config.ts';
import { isHistory, PAGES, readPage } from './pages.ts';

export interface Snippet {
  /** `page.md:12`, the line of its fence. */
  readonly place: string;
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

type Document = Readonly<Record<string, unknown>>;

/** Returns the blocks of a text, in their order. */
export const snippetsOf = (text: string, page: string): readonly Snippet[] =>
  [...text.matchAll(/^( *)```(\S*)\n([\s\S]*?)^ *```$/gm)].map((found) => ({
    place: `${page}:${text.slice(0, found.index).split('\n').length}`,
    page,
    language: found[2] ?? '',
    text: found[3] ?? '',
  }));

export const SNIPPETS: readonly Snippet[] = PAGES.filter((page) => !isHistory(page)).flatMap((page) =>
  snippetsOf(readPage(page), page),
);

const ROUTE = {
  id: 'r',
  protocol: 'bedrock',
  base_url: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  upstream_model: 'm',
};
const MODEL = {
  id: 'm',
  type: 'chat',
  owned_by: 'o',
  created: 1,
  price: { unit: 'per_million_tokens', input: 1, output: 1, request: 1 },
};
const catalogOf = (model: Document) => ({
  models: [{ ...MODEL, ...model }],
  defaults: { [`${model.type ?? 'chat'}`]: model.id ?? 'm' },
});

/** The readers of documents in JSON, by a field that it alone has; each throws what is wrong. */
const READERS: readonly (readonly [what: string, field: string, read: (document: Document) => unknown])[] = [
  ['catalog', 'models', parseCatalog],
  ['model of a catalog', 'routes', (model) => parseCatalog(catalogOf(model))],
  [
    'field of a route',
    'guardrail',
    (fields) => parseCatalog(catalogOf({ routes: [{ ...ROUTE, ...fields }] })),
  ],
  ['price', 'unit', (price) => prices.parse(price)],
  ...SETTINGS.map((name) => ['settings', name, parseConfig] as const),
];

/** A place in `openapi.json`: a response, or the body of a request if there is no status, or a field of either. */
export interface Description {
  readonly path: string;
  readonly method: string;
  readonly status?: string;
  readonly field?: string;
}

export const BILL: Description = {
  path: '/v1/usage/{request_id}',
  method: 'get',
  status: '200',
  field: 'lines',
};

/** Documents that the service sends or takes, by a field that each alone has. */
const DESCRIBED: readonly (readonly [what: string, field: string, description: Description])[] = [
  ['line of a bill', 'item', BILL],
  ['plans of a listing', 'plans', { path: '/apps', method: 'post', field: 'plans' }],
  ['webhook', 'secret', { path: '/api/v1/webhooks', method: 'post', status: '201' }],
];

export const readDocument = (text: string): Document =>
  JSON.parse(text.replaceAll(/<[a-z ]+>/g, 'x')) as Document;

/** Returns the description of a document; undefined if a reader of ours reads it. */
export const describedBy = (document: Document): Description | undefined =>
  READERS.some(([, field]) => field in document)
    ? undefined
    : DESCRIBED.find(([, field]) => field in document)?.[2];

/** Returns what reads a document; throws what that complains of. */
export function readerOf(document: Document): string | undefined {
  const [what, , read] = READERS.find(([, field]) => field in document) ?? [];
  read?.(document);
  return what ?? DESCRIBED.find(([, field]) => field in document)?.[0];
}

/** Returns the commands of a block, without comments, each on one line. */
export const commandsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/ ?\\\n\s*/g, ' ')
    .replaceAll(/'[^']*'/g, (quoted) => quoted.replaceAll('\n', ' '))
    .split('\n')
    .map((line) => line.replace(/\s+# .*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** A request of the local service, by a caller who has exported a key, or a session; or a program of a caller. */
const REQUEST = /curl .*(127\.0\.0\.1:8787|\$(PLATFORM|BASE)_URL)|^zip |^node examples\//;
const EXAMPLE = /^(\w+=\S+ )*node examples\/(?:listing-to-payout|marketplace-app)\//;
/** Commands of this repository and of AWS. */
const OPERATION =
  /^(?:[A-Z_]+=\S+ )*(?:npm (?:ci|run|start|test|exec|view)\b|npx cdk |aws |git |gh |tar |cd |sha256sum |\.\/service |export AWS_|curl -o \S+ https:\/\/)/;

const isIn = (language: RegExp, page: RegExp) => (snippet: Snippet) =>
  language.test(snippet.language) && page.test(snippet.page);
const some = (pattern: RegExp) => (snippet: Snippet) =>
  snippet.language === 'bash' && commandsOf(snippet.text).some((command) => pattern.test(command));
const isOperation = ({ language, text }: Snippet) =>
  language === 'bash' &&
  commandsOf(text).every((command) => command.split(' && ').every((part) => OPERATION.test(part)));

const SYSTEM = 'test/system/page-snippets.test.ts: run';

/** The classes, each with how its blocks are shown to be true. The first that has a block is its class. */
const CLASSES: readonly (readonly [name: string, shownBy: string, has: (snippet: Snippet) => boolean])[] = [
  ['diagram', 'drawn by the page', isIn(/^mermaid$/, /./)],
  ['layers', 'test/docs/architecture.test.ts: compared with the code', isIn(/^$/, /^docs\/architecture/)],
  ['shown message', 'printed by a program; not run', isIn(/^(http|text)$/, /./)],
  ['document', 'test/docs/pages.test.ts, snippets.test.ts: read by what reads it', isIn(/^json$/, /./)],
  [
    'receiver',
    'test/docs/webhooks.test.ts: verifies deliveries',
    isIn(/^(js|python|go)$/, /^docs\/webhooks/),
  ],
  [
    'collector',
    'test/docs/snippets.test.ts: its pipelines name what it defines',
    isIn(/^yaml$/, /^docs\/telemetry/),
  ],
  ['Python', 'test/clients/pages.ts: run with the SDKs', isIn(/^python$/, /./)],
  ['JavaScript', SYSTEM, isIn(/^js$/, /./)],
  ['request and response', 'test/system/lifecycle.test.ts: run, compared', isIn(/^console$/, /^README/)],
  ['example', 'test/system/market-examples.test.ts: the program, run', some(EXAMPLE)],
  ['agent', 'test/clients/pages.ts: run with the agent', some(/^claude\b/)],
  ['caller', SYSTEM, some(REQUEST)],
  [
    'operation',
    'test/docs/pages.test.ts: names, options; test/deploy: those of AWS and the CDK',
    isOperation,
  ],
];

/** Returns the name of a block's class, and how it is shown. */
export const classOf = (snippet: Snippet): readonly [name: string, shownBy: string] | undefined =>
  CLASSES.flatMap(([name, shownBy, has]) => (has(snippet) ? [[name, shownBy] as const] : []))[0];

/** Returns the blocks of a class. */
export const snippetsIn = (name: string): readonly Snippet[] =>
  SNIPPETS.filter((snippet) => classOf(snippet)?.[0] === name);
