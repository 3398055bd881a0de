/**
 * The rules of the Open Responses specification over every route protocol, with what its acceptance tests ask. Its own runner
 * is in no registry; its schemas are, in the package openresponses-types, which is made from them.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { caller } from './caller.ts';
import { MODELS, type Protocol, REASONERS } from './models.ts';
import { service } from './service.ts';
import { type CheckedResponse, send } from './specification/answer.ts';
import { CHECKS, type Check } from './specification/checks.ts';
import { brokenRules } from './specification/stream-rules.ts';

const PROTOCOLS = Object.keys(MODELS) as Protocol[];

const run = promisify(execFile);

const { CLIENTS_PYTHON: python } = process.env;
const withPython = python === undefined ? describe.skip : describe;

/** A text to validate, with the name of its schema. */
type Document = readonly [schema: string, text: string];

const responses = new Map<string, CheckedResponse>();
const keyOf = (protocol: Protocol, { name }: Check): string => `${protocol}: ${name}`;

const documentsOf = ({ status, events, text }: CheckedResponse): readonly Document[] => [
  ...events.map((event) => ['event', event.text] as const),
  ...(status === 200 ? [['ResponseResource', text] as const] : []),
];

/** Returns the error of each document by the schemas of the specification; null for a valid document. */
async function validated(documents: readonly Document[]): Promise<readonly (string | null)[]> {
  const lines = documents.map((document) => `${JSON.stringify(document)}\n`);
  const program = join(import.meta.dirname, 'programs', 'open-responses-schemas.py');
  const running = run(join(python ?? '', 'bin', 'python'), [program], { timeout: 50_000 });
  running.child.stdin?.end(lines.join(''));
  return (await running).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string | null);
}

const cases = PROTOCOLS.flatMap((protocol) => CHECKS.map((check) => [protocol, check.name, check] as const));

describe('Open Responses', () => {
  it.each(cases)('holds over %s: %s', async (protocol, _name, check) => {
    if (check.fault !== undefined) await service.fault(check.fault);
    const model = (check.reasons ? REASONERS : MODELS)[protocol];
    const response = await send(caller(), { model, ...check.body });
    responses.set(keyOf(protocol, check), response);
    expect([response.status, response.status === 200 ? '' : response.text]).toEqual([
      check.status ?? 200,
      check.status === undefined ? '' : response.text,
    ]);
    if (check.body.stream === true) expect(brokenRules(response)).toEqual([]);
    else expect(response.contentType).toMatch(/^application\/json/);
    check.judge(response);
  });

  it('detects a missing event in every stream', () => {
    const streams = [...responses.values()].filter(({ events }) => events.length > 0);
    expect(streams.length).toBeGreaterThan(0);
    for (const stream of streams)
      for (const at of stream.events.keys())
        expect([at, brokenRules({ ...stream, events: stream.events.toSpliced(at, 1) })]).not.toEqual([
          at,
          [],
        ]);
  });
});

withPython('the schemas of Open Responses', () => {
  it.each(PROTOCOLS)('accept every response and every event over %s', async (protocol) => {
    const documents = CHECKS.flatMap((check) => {
      const response = responses.get(keyOf(protocol, check));
      return response === undefined ? [] : documentsOf(response);
    });
    expect(documents.length).toBeGreaterThan(CHECKS.length);
    const problems = await validated(documents);
    expect(problems).toHaveLength(documents.length);
    const wrong = documents.flatMap((document, index) =>
      problems[index] === null ? [] : [[document, problems[index]]],
    );
    expect(wrong).toEqual([]);
  });

  it('reject a response without a required field, and an event with a wrong form or an unknown type', async () => {
    const [response] = responses.values();
    const { output: _output, ...body } = response?.body ?? {};
    const documents: Document[] = [
      ['ResponseResource', JSON.stringify(body)],
      ['event', JSON.stringify({ type: 'response.output_text.delta', sequence_number: '1' })],
      ['event', JSON.stringify({ type: 'response.unknown', sequence_number: 1 })],
    ];
    expect(await validated(documents)).toEqual(documents.map(() => expect.any(String)));
  });
});
