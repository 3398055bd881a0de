/**
 * Parts of the service that a build has or leaves out. The bundler replaces the names by the settings of the deployment
 * (`lib/bundle.ts`). Modules that are not bundled, such as those of the stacks, see the whole service.
 */
declare const WITHOUT_MARKET: boolean | undefined;

export const HAS_MARKET: boolean = typeof WITHOUT_MARKET === 'undefined';
