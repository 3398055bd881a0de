/** The pages and their addresses, behind `#`: so that they work below any stage or prefix, from one static file. */
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  useRouterState,
} from '@tanstack/react-router';
import type { CallFilter } from '../api/queries.ts';
import { Home } from '../pages/home.tsx';
import { Empty } from '../parts/basics.tsx';
import { Shell } from './shell.tsx';

/** The operator's view has a session, and so a frame, of its own. */
const root = createRootRoute({
  component: () =>
    useRouterState({ select: ({ location }) => location.pathname === '/operator' }) ? <Outlet /> : <Shell />,
  notFoundComponent: () => <Empty>There is no such page.</Empty>,
});

/** Text of the query that is shown nowhere but as text. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const sectionOf = (value: unknown): 'apps' | 'ai-agents' => (value === 'ai-agents' ? 'ai-agents' : 'apps');

const routes = [
  createRoute({ getParentRoute: () => root, path: '/', component: Home }),
  createRoute({
    getParentRoute: () => root,
    path: '/start',
    component: lazyRouteComponent(() => import('../pages/start.tsx'), 'Start'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/keys',
    component: lazyRouteComponent(() => import('../pages/keys.tsx'), 'Keys'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/keys/$id',
    component: lazyRouteComponent(() => import('../pages/key.tsx'), 'KeyPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/activity',
    validateSearch: ({ api_key, model, kind, status }): CallFilter => ({
      api_key: textOf(api_key),
      model: textOf(model),
      kind: textOf(kind),
      status: textOf(status),
    }),
    component: lazyRouteComponent(() => import('../pages/activity.tsx'), 'Activity'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/activity/$id',
    component: lazyRouteComponent(() => import('../pages/receipt.tsx'), 'ReceiptPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/models',
    component: lazyRouteComponent(() => import('../pages/models.tsx'), 'Models'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/playground',
    validateSearch: ({ model }): { readonly model?: string | undefined } => ({ model: textOf(model) }),
    component: lazyRouteComponent(() => import('../pages/playground.tsx'), 'Playground'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/billing',
    component: lazyRouteComponent(() => import('../pages/billing.tsx'), 'Billing'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('../pages/webhooks.tsx'), 'Webhooks'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/webhooks/$id',
    component: lazyRouteComponent(() => import('../pages/webhook.tsx'), 'WebhookPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/market',
    validateSearch: ({ section }): { readonly section?: 'apps' | 'ai-agents' } => ({
      section: sectionOf(section),
    }),
    component: lazyRouteComponent(() => import('../pages/market.tsx'), 'Market'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/market/$section/$id',
    component: lazyRouteComponent(() => import('../pages/listing.tsx'), 'ListingPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings',
    component: lazyRouteComponent(() => import('../pages/settings.tsx'), 'Settings'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/operator',
    component: lazyRouteComponent(() => import('../pages/operator.tsx'), 'OperatorView'),
  }),
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
