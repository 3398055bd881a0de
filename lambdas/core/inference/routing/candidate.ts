/** A route that may serve a call. */
import type { Model, Route } from '../catalog/catalog-document.ts';
import type { Terms } from '../pricing/terms.ts';

export interface Candidate {
  readonly model: Model;
  readonly route: Route;
}

export interface PricedCandidate extends Candidate {
  readonly terms: Terms;
}
