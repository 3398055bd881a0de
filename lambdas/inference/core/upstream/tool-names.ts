/** Names of tools on routes, for formats that accept names that not every protocol does. */
import { createHash } from 'node:crypto';

/** OpenAI API reference, `function.name`; Amazon Bedrock API reference, ToolSpecification; Gemini API reference, FunctionDeclaration. */
const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_CHARACTERS = 64;
const DIGEST_CHARACTERS = 8;

/** Names that are in use. */
interface UsedNames {
  has(name: string): boolean;
}

/**
 * Returns the name itself if it is legal and not one of `usedNames`, else its legal part with a digest. The result is
 * never a used name, and is the same for the same name and the same `usedNames`.
 */
export function legalToolName(name: string, usedNames: UsedNames): string {
  if (LEGAL.test(name) && !usedNames.has(name)) return name;
  const opening = name.slice(0, MAX_CHARACTERS - DIGEST_CHARACTERS - 1).replace(/[^a-zA-Z0-9_-]/g, '_');
  for (let attempt = 0; ; attempt += 1) {
    const hash = createHash('sha256').update(attempt === 0 ? name : `${name}\0${attempt}`);
    const legal = `${opening}_${hash.digest('base64url').slice(0, DIGEST_CHARACTERS)}`;
    if (!usedNames.has(legal)) return legal;
  }
}

/** The names of one request's tools, declared and called, on routes and back. */
export class RouteToolNames {
  readonly #routeNames = new Map<string, string>();
  readonly #callerNames = new Map<string, string>();

  constructor(names: Iterable<string>) {
    const all = [...new Set(names)];
    // Legal names come first, so that they stay.
    for (const name of [...all.filter((each) => LEGAL.test(each)), ...all]) {
      if (this.#routeNames.has(name)) continue;
      const routeName = legalToolName(name, this.#callerNames);
      this.#routeNames.set(name, routeName);
      this.#callerNames.set(routeName, name);
    }
  }

  routeNameOf(name: string): string {
    return this.#routeNames.get(name) ?? name;
  }

  /** Returns the caller's name of a tool that a route called, or the name itself if there is no such tool. */
  callerNameOf(routeName: string): string {
    return this.#callerNames.get(routeName) ?? routeName;
  }
}
