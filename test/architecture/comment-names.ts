import { describe, expect, it } from '@jest/globals';
import { type Module, modulesIn, SOURCE_FOLDERS, targetOf } from './source-tree.ts';

/** Comments, and what looks like one only inside of a string is left to the words of the code. */
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:'"`\w])\/\/[^\n]*/g;

const WORD = /[A-Za-z_$][\w$]*/g;

/** A name of the code in a comment, such as a parameter or a field. */
const QUOTED_NAME = /`([a-z]+[a-z\d]*[A-Z]\w*)`/g;

/** The settings of a deployment, which a comment may name anywhere. */
const SETTINGS = 'lib/config/config.ts';

/** Names of others: fields of JSON Schema, Bedrock and the CDK, and an option of the compiler. */
const FOREIGN: ReadonlySet<string> = new Set([
  'anyOf',
  'cachePoint',
  'exactOptionalPropertyTypes',
  'inferenceTypesSupported',
  'toString',
  'totalTokenCount',
]);

type Text = Pick<Module, 'path' | 'text' | 'imports'>;

const words = new Map<string, ReadonlySet<string>>();

function wordsOf({ path, text }: Text): ReadonlySet<string> {
  const known = words.get(path) ?? new Set(text.replace(COMMENT, ' ').match(WORD) ?? []);
  words.set(path, known);
  return known;
}

/** Returns the names in the comments of a module that neither its code nor that of its imports has. */
function deadNames(module: Text, all: ReadonlyMap<string, Text>): readonly string[] {
  const imported = module.imports.map((of) => all.get(targetOf(module, of) ?? ''));
  const readable = [module, all.get(SETTINGS), ...imported].filter((other) => other !== undefined);
  return [...module.text.matchAll(COMMENT)]
    .flatMap(([comment]) => [...comment.matchAll(QUOTED_NAME)])
    .map(([, name = '']) => name)
    .filter((name) => !FOREIGN.has(name) && !readable.some((other) => wordsOf(other).has(name)));
}

const modules = new Map(modulesIn(...SOURCE_FOLDERS, 'test').map((module) => [module.path, module]));

describe('the comments of the project', () => {
  it('name parameters, fields and exports that their module or its imports have', () => {
    const dead = [...modules.values()].flatMap((module) =>
      deadNames(module, modules).map((name) => `${module.path}: ${name}`),
    );
    expect(dead).toEqual([]);
  });
});

describe('the check of names in comments', () => {
  const imported = { path: 'a/other.ts', text: 'export const readBody = 1;', imports: [] };
  const importing = [{ specifier: './other.ts', typeOnly: false, names: ['readBody'] }];

  it.each([
    ['/** Takes `maxBytes`. */ export const f = (maxBytes: number) => maxBytes;', []],
    ['/** Takes `maxBytes`. */ export const f = (bytes: number) => bytes;', ['maxBytes']],
    ['// As `readBody` does.\nexport const f = 1;', []],
    ['// As `writeBody` does.\nexport const f = 1;', ['writeBody']],
    ["const address = 'https://host/`otherName`';", []],
  ])('finds in %j the dead names %j', (text, names) => {
    const module = { path: `a/${text.length}.ts`, text, imports: importing };
    expect(deadNames(module, new Map([[imported.path, imported]]))).toEqual(names);
  });
});
