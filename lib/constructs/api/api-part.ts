/**
 * A nested stack for a part of an API. It has the resources and methods of its paths, and the functions that are created
 * in its scope, so that they do not count among the 500 resources of the stack of the API. The deployment of the API
 * stays there: it waits for the nested stack, and each change of a method creates another deployment.
 */
import { NestedStack } from 'aws-cdk-lib';
import { Resource } from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Route } from '../../../lambdas/platform/contract/route.ts';
import { ApiCalls } from './api-calls.ts';
import type { EndpointApi } from './endpoint-api.ts';

export interface ApiPartProps {
  readonly api: EndpointApi;
  /** Handles unknown methods. */
  readonly fallback: IFunction;
  /** The routes that are no part of this one. What their paths begin with stays in the stack of the API. */
  readonly others: readonly Route[];
}

export class ApiPart extends NestedStack {
  readonly #api: EndpointApi;
  readonly #calls: ApiCalls;
  readonly #outside: ReadonlySet<string>;

  constructor(scope: Construct, id: string, { api, fallback, others }: ApiPartProps) {
    super(scope, id);
    this.#api = api;
    this.#calls = new ApiCalls(this, fallback);
    this.#outside = new Set(others.flatMap(({ path }) => beginningsOf(path)));
  }

  /** Serves a row of the route table by a function; other methods of its path use the fallback. */
  addRoute(route: Route, target: IFunction): void {
    this.#calls.serve(this.#resourceAt(route.path), route, target);
  }

  #resourceAt(path: string): Resource {
    const first = beginningsOf(path).find((beginning) => !this.#outside.has(beginning));
    if (first === undefined) throw new Error(`${path} is also a path outside of ${this.node.id}`);
    const id = first.slice(1).replaceAll('/', '-');
    const known = this.node.tryFindChild(id) as Resource | undefined;
    const end = first.lastIndexOf('/');
    const top =
      known ??
      new Resource(this, id, { parent: this.#api.at(first.slice(0, end)), pathPart: first.slice(end + 1) });
    return top.resourceForPath(path.slice(first.length + 1)) as Resource;
  }
}

/** `/a`, `/a/b` and `/a/b/c` for `/a/b/c`. */
const beginningsOf = (path: string): readonly string[] =>
  [...path.matchAll(/\/[^/]+/g)].map(({ index, 0: segment }) => path.slice(0, index + segment.length));
