/** Every field that a request type declares, however deep. */
import type { Declaration, Scope, TypeNode } from './declarations.ts';

export interface RequestField {
  /** A pattern of fields, such as `messages[].content[].text`; `{}` stands for keys that a caller chooses. */
  readonly path: string;
  /** The texts that its types name as values. */
  readonly values: readonly string[];
}

/** A type, and where it stands. */
interface TypeLocation {
  readonly node: TypeNode;
  readonly scope: Scope;
  readonly path: string;
  /** The declarations around this one: a type within itself is read once. */
  readonly within: readonly TypeNode[];
}

/** Types of the platform and of serializers, and parameters of types, which declare no field of a request. */
const OPAQUE = new Set([
  'AbortSignal',
  'ResponseFormat',
  'Uploadable',
  'Uint8Array',
  'Blob',
  'RequestInfo',
  'typeof',
]);

/** Nodes that hold no other type: keywords, literals, functions, and what is computed of the names of another type. */
const LEAVES = /^Ts(KeywordType|LiteralType|FunctionType|IndexedAccessType|TypeQuery|TypeOperator)$/;

/** The fields of all types called `name`, each path once. Throws for a type that it cannot read. */
export function fieldsOf(scope: Scope, name: string): readonly RequestField[] {
  const reader = new Reader();
  reader.named(name, undefined, { node: { type: 'root' }, scope, path: '', within: [] });
  return [...reader.fields.values()];
}

class Reader {
  readonly fields = new Map<string, RequestField>();

  /** The type of a name, with its arguments. */
  named(name: string, parameters: unknown, location: TypeLocation): void {
    const [element] = (parameters as { readonly params?: readonly TypeNode[] } | null)?.params ?? [];
    if (element !== undefined && name === 'Array')
      this.#type(element, { ...location, path: `${location.path}[]` });
    else if (!OPAQUE.has(name)) {
      const declarations = location.scope.find(name);
      if (declarations.length === 0) throw new Error(`${location.path}: no declaration of ${name}`);
      for (const declaration of declarations) this.#declaration(declaration, location);
    }
  }

  #declaration({ node, scope }: Declaration, { path, within }: TypeLocation): void {
    if (within.includes(node)) return;
    const location = { node, scope, path, within: [...within, node] };
    if (node.type === 'TsTypeAliasDeclaration') this.#type(node.typeAnnotation as TypeNode, location);
    else if (node.type === 'TsInterfaceDeclaration') {
      for (const { expression, typeArguments } of node.extends as readonly TypeNode[])
        this.named(nameOf(expression as TypeNode), typeArguments, location);
      this.#members((node.body as { readonly body: readonly TypeNode[] }).body, location);
    }
  }

  #type(node: TypeNode, location: TypeLocation): void {
    const { type } = node;
    if (type === 'TsTypeReference') this.named(nameOf(node.typeName as TypeNode), node.typeParams, location);
    else if (type === 'TsArrayType')
      this.#type(node.elemType as TypeNode, { ...location, path: `${location.path}[]` });
    else if (type === 'TsUnionType' || type === 'TsIntersectionType')
      for (const member of node.types as readonly TypeNode[]) this.#type(member, location);
    else if (type === 'TsTypeLiteral') this.#members(node.members as readonly TypeNode[], location);
    else if (type === 'TsParenthesizedType') this.#type(node.typeAnnotation as TypeNode, location);
    else if (!LEAVES.test(type)) throw new Error(`${location.path}: cannot read ${type}`);
  }

  /** The texts of a type, of a union of them, or of what a name stands for. */
  #stringsOf(node: TypeNode, scope: Scope): readonly string[] {
    if (node.type === 'TsLiteralType') {
      const { type, value } = node.literal as TypeNode;
      return type === 'StringLiteral' ? [String(value)] : [];
    }
    if (node.type === 'TsUnionType')
      return (node.types as readonly TypeNode[]).flatMap((type) => this.#stringsOf(type, scope));
    if (node.type !== 'TsTypeReference') return [];
    return scope
      .find(nameOf(node.typeName as TypeNode))
      .filter(({ node: { type } }) => type === 'TsTypeAliasDeclaration')
      .flatMap(({ node: alias, scope: around }) => this.#stringsOf(alias.typeAnnotation as TypeNode, around));
  }

  #members(members: readonly TypeNode[], location: TypeLocation): void {
    for (const { type, key, typeAnnotation, params } of members) {
      const node = (typeAnnotation as { readonly typeAnnotation?: TypeNode } | null)?.typeAnnotation;
      if (node === undefined) continue;
      if (type === 'TsIndexSignature' && params !== undefined)
        this.#type(node, { ...location, path: `${location.path}{}` });
      if (type !== 'TsPropertySignature') continue;
      const name = String((key as TypeNode).value);
      // A union's variants name the fields that they do not have.
      if (node.type === 'TsKeywordType' && node.kind === 'never') continue;
      const path = location.path === '' ? name : `${location.path}.${name}`;
      const values = [...(this.fields.get(path)?.values ?? []), ...this.#stringsOf(node, location.scope)];
      this.fields.set(path, { path, values });
      this.#type(node, { ...location, path });
    }
  }
}

/** A name as it is written: `Tool`, or `Shared.Reasoning`. */
const nameOf = (node: TypeNode): string =>
  node.type === 'TsQualifiedName'
    ? `${nameOf(node.left as TypeNode)}.${nameOf(node.right as TypeNode)}`
    : node.type === 'MemberExpression'
      ? `${nameOf(node.object as TypeNode)}.${nameOf(node.property as TypeNode)}`
      : String(node.value);
