/** Finds the route of a request, and the protocol that refuses a request without one. */
import type { SimulatedRoute, WireProtocol } from './reply.ts';

export interface RouteMatch {
  readonly route: SimulatedRoute;
  /** The named segments of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The named segments without their percent escapes; undefined when an escape is broken. */
function decoded(groups: Readonly<Record<string, string | undefined>>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(
      Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value ?? '')]),
    );
  } catch {
    return undefined;
  }
}

/** Returns the number of characters that `path` and the route's path share at their start. */
function sharedLength(route: SimulatedRoute, path: string): number {
  const differs = [...path].findIndex((character, index) => character !== route.path[index]);
  return differs < 0 ? path.length : differs;
}

export class RouteTable {
  readonly #routes: readonly { readonly route: SimulatedRoute; readonly pattern: URLPattern }[];

  constructor(routes: readonly SimulatedRoute[]) {
    this.#routes = routes.map((route) => {
      const pathname = route.path.replaceAll(/\{(\w+)\}/gu, ':$1');
      return { route, pattern: new URLPattern({ pathname }) };
    });
  }

  /** Every route of `path`, whatever its method. */
  matches(path: string): readonly RouteMatch[] {
    return this.#routes.flatMap(({ route, pattern }) => {
      const match = pattern.exec({ pathname: path });
      const parameters = match === null ? undefined : decoded(match.pathname.groups);
      return parameters === undefined ? [] : [{ route, parameters }];
    });
  }

  /** The protocol of the route whose path begins most like `path`; the first one when none does. */
  protocolNear(path: string): WireProtocol {
    const [nearest] = this.#routes
      .map(({ route }) => route)
      .toSorted((a, b) => sharedLength(b, path) - sharedLength(a, path));
    if (nearest === undefined) throw new Error('the table has no routes');
    return nearest.protocol;
  }
}
