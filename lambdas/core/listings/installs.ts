/** Installing a listing. */
import { madeAsMany, QUOTAS } from '../quotas.ts';
import type { Install } from './activity.ts';
import { listingNotFound } from './listing.ts';
import { type ActivityDependencies, type ActivityResult, ListingActivity } from './listing-activity.ts';
import type { ListingRequest } from './listings.ts';
import type { InstallStore } from './ports.ts';

export class Installs extends ListingActivity {
  readonly #store: InstallStore;

  constructor(store: InstallStore, dependencies: ActivityDependencies) {
    super(dependencies);
    this.#store = store;
  }

  /** Installs a listing for an account; another time changes nothing and returns the first. Throws 429 `install_quota`. */
  async install({ kind, id, accountId }: ListingRequest): Promise<ActivityResult<Install>> {
    const listing = await this.listings.get(kind, id);
    const install = { listingId: id, accountId, created: this.now() };
    const most = QUOTAS.installs_per_account_per_day;
    const result = await this.#store.install(install, listing, this.events.installed(listing, install), most);
    if (result === 'gone') throw listingNotFound(kind);
    if (result === 'full')
      throw madeAsMany('install_quota', { most, things: 'installs', nowSeconds: install.created });
    if (result === 'done') return { entry: install, repeated: false };
    return { entry: (await this.#store.findInstall(id, accountId)) ?? install, repeated: true };
  }
}
