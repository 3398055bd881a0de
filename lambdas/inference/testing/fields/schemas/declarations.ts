/** Declarations of types in a package's .d.ts files, found by name across files, namespaces and imports. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from '@swc/core';

/** A node of swc's syntax tree. */
export interface TypeNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A declared type, and where the names that it uses are looked up. */
export interface Declaration {
  readonly node: TypeNode;
  readonly scope: Scope;
}

const DECLARED = /^(TsInterfaceDeclaration|TsTypeAliasDeclaration)$/;

const nameOf = (node: unknown): string => String((node as { value: unknown }).value);

/** The names of one file or of one namespace in it. */
export class Scope {
  readonly path: string;
  readonly #parent: Scope | undefined;
  readonly #types = new Map<string, TypeNode[]>();
  readonly #namespaces = new Map<string, Scope>();
  readonly #imports = new Map<string, { readonly from: string; readonly name: string | undefined }>();

  constructor(path: string, body: readonly TypeNode[], parent?: Scope) {
    this.path = path;
    this.#parent = parent;
    for (const node of body) this.#declare(node);
  }

  /** The declarations that a name such as `Shared.Reasoning` stands for; an interface may have several. */
  find(name: string): readonly Declaration[] {
    const [first = '', ...rest] = name.split('.');
    if (rest.length === 0) {
      const ownType = this.#types.get(first);
      if (ownType !== undefined) return ownType.map((node) => ({ node, scope: this }));
    } else {
      const inner = this.#namespaces.get(first)?.find(rest.join('.'));
      if (inner !== undefined && inner.length > 0) return inner;
    }
    return this.#imported(first, rest) ?? this.#parent?.find(name) ?? [];
  }

  #imported(first: string, rest: readonly string[]): readonly Declaration[] | undefined {
    const importedName = this.#imports.get(first);
    if (importedName !== undefined) {
      const names = importedName.name === undefined ? rest : [importedName.name, ...rest];
      return names.length === 0 ? [] : this.#file(importedName.from)?.find(names.join('.'));
    }
    return undefined;
  }

  #file(from: string): Scope | undefined {
    if (!from.startsWith('.')) return undefined;
    const path = join(dirname(this.path), from.replace(/\.m?js$/, ''));
    const file = [`${path}.d.ts`, `${path}/index.d.ts`].find(existsSync);
    return file === undefined ? undefined : scopeOf(file);
  }

  #declare(node: TypeNode): void {
    const declared = (node.declaration ?? node) as TypeNode;
    if (DECLARED.test(declared.type)) {
      const name = nameOf(declared.id ?? declared.identifier);
      this.#types.set(name, [...(this.#types.get(name) ?? []), declared]);
    } else if (declared.type === 'TsModuleDeclaration') {
      const { body } = declared.body as { readonly body: readonly TypeNode[] };
      const name = nameOf(declared.id);
      this.#namespaces.set(name, new Scope(this.path, body, this));
    } else if (node.type === 'ImportDeclaration') {
      this.#import(node);
    }
  }

  #import({ source, specifiers }: TypeNode): void {
    for (const { type, local, imported } of specifiers as readonly TypeNode[]) {
      const name = type === 'ImportNamespaceSpecifier' ? undefined : nameOf(imported ?? local);
      this.#imports.set(nameOf(local), { from: nameOf(source), name });
    }
  }
}

const scopes = new Map<string, Scope>();

/** The scope of a .d.ts file; each file is read once. */
export function scopeOf(path: string): Scope {
  const cachedScope = scopes.get(path) ?? scopeOfText(path, readFileSync(path, 'utf8'));
  scopes.set(path, cachedScope);
  return cachedScope;
}

/** The scope of the text of a .d.ts file. */
export const scopeOfText = (path: string, text: string): Scope =>
  new Scope(path, parseSync(text, { syntax: 'typescript', target: 'es2024' }).body as unknown as TypeNode[]);
