/**
 * Names of tools on routes that only support functions. A custom tool becomes a function with one text. A tool of a
 * namespace becomes a function with a joined name.
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { OWN_TOOLS } from '../../core/metering/prompt-fields.ts';
import { legalToolName } from '../../core/upstream/tool-names.ts';

/** A tool of any type: a function, a custom one, a namespace of them, or one that the provider runs. */
export interface ResponsesTool extends JsonObject {
  readonly type: string;
}

/** A tool that the provider defines. */
export const isProviders = ({ type }: JsonObject): boolean => !OWN_TOOLS.has(type);

/** A tool as its caller defines it. */
export interface CallerTool {
  readonly type: 'function' | 'custom';
  readonly name: string;
  readonly namespace?: string;
  /** The declaration. */
  readonly tool: ResponsesTool;
}

/** The one argument of a function that stands for a custom tool. */
export const CUSTOM_ARGUMENT = 'input';

export class ToolNames {
  /** The tools by the names that routes receive. */
  readonly #tools = new Map<string, CallerTool>();
  /** The name on routes, by namespace and name. */
  readonly #names = new Map<string, string>();

  constructor(tools: readonly ResponsesTool[]) {
    // Tools outside of namespaces come first, so that they retain their names for any namespace name.
    for (const tool of tools) if (tool.type !== 'namespace') this.#add(tool, undefined);
    for (const { type, name, tools: inner } of tools)
      if (type === 'namespace' && Array.isArray(inner))
        for (const tool of inner) if (isJsonObject(tool)) this.#add(tool as ResponsesTool, String(name));
  }

  /** Returns the tools that are sent to routes as functions, by their names on routes. */
  get offered(): ReadonlyMap<string, CallerTool> {
    return this.#tools;
  }

  /** The tool behind a name that a route called; a function of that name where there is no such tool. */
  called(name: string): Pick<CallerTool, 'type' | 'name' | 'namespace'> {
    return this.#tools.get(name) ?? { type: 'function', name };
  }

  /** The name of a caller's tool on routes; of one that is not declared, too. */
  routeNameOf(name: string, namespace?: string | undefined): string {
    return this.#names.get(keyOf(name, namespace)) ?? legalToolName(joined(name, namespace), NONE);
  }

  #add(tool: ResponsesTool, namespace: string | undefined): void {
    const { type, name } = tool;
    if ((type !== 'function' && type !== 'custom') || typeof name !== 'string') return;
    const routeName = legalToolName(joined(name, namespace), this.#tools);
    this.#tools.set(routeName, { type, name, tool, ...(namespace === undefined ? {} : { namespace }) });
    this.#names.set(keyOf(name, namespace), routeName);
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Different for all pairs, also where joined names are the same. */
const keyOf = (name: string, namespace: string | undefined): string => JSON.stringify([namespace, name]);

const joined = (name: string, namespace: string | undefined): string =>
  namespace === undefined ? name : `${namespace}__${name}`;
