/** Finds the route of a request, and the protocol in whose words a request without one is refused. */
import type { Protocol, Route } from './reply.ts';

export interface RouteMatch {
  readonly route: Route;
  /** The named segments of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

const PARAMETER = /^\{(\w+)\}$/u;

/** A segment without its percent escapes, or undefined when they are broken. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The parameters of `path` when it has the form of `pattern`. */
function parametersOf(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const segments = path.split('/');
  if (wanted.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const name = PARAMETER.exec(wanted[index] ?? '')?.[1];
    const value = name === undefined ? undefined : decoded(segment);
    if (name !== undefined && value !== undefined && value !== '') parameters[name] = value;
    else if (wanted[index] !== segment) return undefined;
  }
  return parameters;
}

/** How many segments `path` and `pattern` have in common at their beginning. */
function sharedSegments(pattern: string, path: string): number {
  const wanted = pattern.split('/');
  const segments = path.split('/');
  const differs = wanted.findIndex((segment, index) => segment !== segments[index]);
  return differs < 0 ? wanted.length : differs;
}

export class RouteTable {
  readonly #routes: readonly Route[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes;
  }

  find(method: string, path: string): RouteMatch | undefined {
    for (const route of this.#routes) {
      const parameters = route.method === method ? parametersOf(route.path, path) : undefined;
      if (parameters !== undefined) return { route, parameters };
    }
    return undefined;
  }

  /** Whether `path` takes some method. */
  hasPath(path: string): boolean {
    return this.#routes.some((route) => parametersOf(route.path, path) !== undefined);
  }

  /** The protocol of the route whose path begins most like `path`; the first one when none does. */
  protocolNear(path: string): Protocol {
    const [nearest] = this.#routes.toSorted(
      (a, b) => sharedSegments(b.path, path) - sharedSegments(a.path, path),
    );
    if (nearest === undefined) throw new Error('the table has no routes');
    return nearest.protocol;
  }
}
