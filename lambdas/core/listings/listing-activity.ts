/** What the use cases around a listing have in common: the listing they are about, and the events they make. */
import type { Clock, UlidSource } from '../ports.ts';
import type { Listings } from './listings.ts';
import { createEvents, type Events } from './outbox.ts';

export interface ActivityDependencies {
  readonly listings: Listings;
  readonly clock: Clock;
  readonly ulid: UlidSource;
}

/** The entry, and whether it existed before. */
export interface ActivityResult<T> {
  readonly entry: T;
  readonly repeated: boolean;
}

export abstract class ListingActivity {
  protected readonly listings: Listings;
  protected readonly ulid: UlidSource;
  protected readonly events: Events;
  readonly #clock: Clock;

  constructor({ listings, clock, ulid }: ActivityDependencies) {
    this.listings = listings;
    this.ulid = ulid;
    this.events = createEvents(ulid);
    this.#clock = clock;
  }

  protected now(): number {
    return Math.floor(this.#clock() / 1000);
  }
}
