/** The stacks of an assembly as one graph: resources with their references resolved, exports across stacks. */
import type { SynthesizedStack } from './cloud-assembly.ts';
import { IDENTITIES, type ResourceIdentity, type UnnamedResource } from './identities.ts';
import { type ReferenceScope, resolveIntrinsics } from './intrinsics.ts';
import type { Template } from './template.ts';

/** A resource that knows its place; `properties()` resolves them, as the caller has reason to believe they are. */
export interface LocatedResource {
  readonly stack: SynthesizedStack;
  readonly logicalId: string;
  /** The place of the resource, for errors. */
  readonly location: string;
  readonly identity: ResourceIdentity;
  readonly arn: string;
  properties<T>(): T;
}

export class Stacks {
  readonly #stacks: readonly SynthesizedStack[];
  readonly #identities = new Map<string, ResourceIdentity>();
  readonly #exports = new Map<string, () => unknown>();
  readonly #readTypes = new Set<string>();

  constructor(stacks: readonly SynthesizedStack[]) {
    this.#stacks = stacks;
    for (const stack of stacks) this.#indexExports(stack);
  }

  /** Every resource of a type, in the order of the stacks. */
  resources(type: string): readonly LocatedResource[] {
    this.#readTypes.add(type);
    return this.#stacks.flatMap((stack) =>
      Object.entries(stack.template.Resources)
        .filter(([, resource]) => resource.Type === type)
        .map(([logicalId]) => this.#locate(stack, logicalId)),
    );
  }

  /** Types that occur and whose resources nobody has read. */
  unreadTypes(): readonly string[] {
    const types = this.#stacks.flatMap(({ template }) =>
      Object.values(template.Resources).map(({ Type }) => Type),
    );
    return [...new Set(types)].filter((type) => !this.#readTypes.has(type));
  }

  /** Outputs that are for people and tools; those that only carry an export between stacks are left out. */
  outputs(): Record<string, string> {
    const named = this.#stacks.flatMap((stack) =>
      Object.entries(stack.template.Outputs ?? {})
        .filter(([, output]) => output.Export === undefined)
        .map(([name, output]) => [name, String(this.#resolve(output.Value, stack))] as const),
    );
    return Object.fromEntries(named);
  }

  #locate(stack: SynthesizedStack, logicalId: string): LocatedResource {
    const resource = stack.template.Resources[logicalId] as Template['Resources'][string];
    const stacks = this;
    return {
      stack,
      logicalId,
      location: `${stack.name}/${logicalId}`,
      get identity() {
        return stacks.#identify(stack, logicalId);
      },
      get arn() {
        return String(this.identity.attributes.Arn);
      },
      properties: <T>() => this.#resolve(resource.Properties ?? {}, stack, logicalId) as T,
    };
  }

  #identify(stack: SynthesizedStack, logicalId: string): ResourceIdentity {
    const key = `${stack.name}/${logicalId}`;
    const known = this.#identities.get(key);
    if (known !== undefined) return known;
    const resource = stack.template.Resources[logicalId];
    if (resource === undefined) throw new Error(`${key}: there is no such resource`);
    const identify = IDENTITIES[resource.Type];
    if (identify === undefined)
      throw new Error(`${key}: the local runtime cannot refer to a resource of type ${resource.Type}`);
    const identity = identify(this.unnamed(stack, logicalId));
    this.#identities.set(key, identity);
    return identity;
  }

  /** The view of a resource from which its name derives. */
  unnamed(stack: SynthesizedStack, logicalId: string): UnnamedResource {
    const properties = stack.template.Resources[logicalId]?.Properties ?? {};
    return {
      stack: stack.name,
      logicalId,
      property: (name) => {
        const value = this.#resolve(properties[name], stack, logicalId);
        return value === undefined ? undefined : String(value);
      },
    };
  }

  #resolve(value: unknown, stack: SynthesizedStack, logicalId?: string): unknown {
    try {
      return resolveIntrinsics(value, this.#scope(stack));
    } catch (cause) {
      if (logicalId === undefined) throw cause;
      throw new Error(`${stack.name}/${logicalId}: ${(cause as Error).message}`, { cause });
    }
  }

  #scope(stack: SynthesizedStack): ReferenceScope {
    return {
      ref: (name) => this.#parameter(stack, name) ?? this.#identify(stack, name).ref,
      attribute: (logicalId, name) => {
        const value = this.#identify(stack, logicalId).attributes[name];
        if (value !== undefined) return value;
        const type = stack.template.Resources[logicalId]?.Type;
        throw new Error(
          `${stack.name}/${logicalId}: the local runtime does not know the attribute ${name} of ${type}`,
        );
      },
      importValue: (name) => {
        const read = this.#exports.get(name);
        if (read === undefined) throw new Error(`no stack exports ${name}`);
        return read();
      },
    };
  }

  #parameter(stack: SynthesizedStack, name: string): unknown {
    const parameter = stack.template.Parameters?.[name];
    if (parameter === undefined) return undefined;
    if (parameter.Default === undefined) throw new Error(`${stack.name}: parameter ${name} has no default`);
    return parameter.Default;
  }

  #indexExports(stack: SynthesizedStack): void {
    for (const output of Object.values(stack.template.Outputs ?? {})) {
      if (output.Export === undefined) continue;
      const name = String(this.#resolve(output.Export.Name, stack));
      this.#exports.set(name, () => this.#resolve(output.Value, stack));
    }
  }
}
