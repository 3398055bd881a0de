/** The pages and their addresses, behind `#`: so that they work below any stage or prefix, from one static file. */
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
  useRouterState,
} from '@tanstack/react-router';
import type { CallFilter } from '../api/queries.ts';
import { Home } from '../pages/home.tsx';
import { NotFound } from '../parts/basics.tsx';
import { PAGES } from './pages.ts';
import { Shell } from './shell.tsx';

/** The operator's view has a separate session, and therefore a separate layout. */
const root = createRootRoute({
  component: () =>
    useRouterState({ select: ({ location }) => /^\/operator(\/|$)/.test(location.pathname) }) ? (
      <Outlet />
    ) : (
      <Shell />
    ),
  notFoundComponent: () => <NotFound />,
});

/** Text of the query that is shown nowhere but as text. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const SECTIONS = ['apps', 'ai-agents', 'own'] as const;

type Section = (typeof SECTIONS)[number];

const sectionOf = (value: unknown): Section => SECTIONS.find((each) => each === value) ?? 'apps';

const page = <const Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, component });

const routes = [
  page('/', Home),
  page('/start', lazyRouteComponent(PAGES['/start'], 'Start')),
  page('/keys', lazyRouteComponent(PAGES['/keys'], 'Keys')),
  page('/keys/$id', lazyRouteComponent(PAGES['/keys/$id'], 'KeyPage')),
  createRoute({
    getParentRoute: () => root,
    path: '/activity',
    validateSearch: ({ api_key, model, kind, status, from, to }): CallFilter => ({
      api_key: textOf(api_key),
      model: textOf(model),
      kind: textOf(kind),
      status: textOf(status),
      from: textOf(from),
      to: textOf(to),
    }),
    component: lazyRouteComponent(PAGES['/activity'], 'Activity'),
  }),
  page('/activity/$id', lazyRouteComponent(PAGES['/activity/$id'], 'ReceiptPage')),
  page('/models', lazyRouteComponent(PAGES['/models'], 'Models')),
  createRoute({
    getParentRoute: () => root,
    path: '/playground',
    validateSearch: ({
      model,
      kind,
    }): { readonly model?: string | undefined; readonly kind?: string | undefined } => ({
      model: textOf(model),
      kind: textOf(kind),
    }),
    component: lazyRouteComponent(PAGES['/playground'], 'Playground'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/billing',
    validateSearch: ({
      order,
      outcome,
    }): { readonly order?: string | undefined; readonly outcome?: string | undefined } => ({
      order: textOf(order),
      outcome: textOf(outcome),
    }),
    component: lazyRouteComponent(PAGES['/billing'], 'Billing'),
  }),
  page('/earnings', lazyRouteComponent(PAGES['/earnings'], 'Earnings')),
  page('/webhooks', lazyRouteComponent(PAGES['/webhooks'], 'Webhooks')),
  page('/webhooks/$id', lazyRouteComponent(PAGES['/webhooks/$id'], 'WebhookPage')),
  createRoute({
    getParentRoute: () => root,
    path: '/market',
    validateSearch: ({ section }): { readonly section?: Section } => ({
      section: sectionOf(section),
    }),
    component: lazyRouteComponent(PAGES['/market'], 'Market'),
  }),
  page('/market/$section/$id', lazyRouteComponent(PAGES['/market/$section/$id'], 'ListingPage')),
  page('/installed', lazyRouteComponent(PAGES['/installed'], 'Installed')),
  page('/settings', lazyRouteComponent(PAGES['/settings'], 'Settings')),
  page('/operator', lazyRouteComponent(PAGES['/operator'], 'OperatorView')),
  page('/operator/$view', lazyRouteComponent(PAGES['/operator/$view'], 'OperatorView')),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  history: createHashHistory(),
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
