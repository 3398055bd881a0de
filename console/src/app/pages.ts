/** The pages that are loaded when they are opened, by their addresses; `$` stands for any text. */
export const PAGES = {
  '/start': () => import('../pages/start.tsx'),
  '/keys': () => import('../pages/keys.tsx'),
  '/keys/$id': () => import('../pages/key.tsx'),
  '/activity': () => import('../pages/activity.tsx'),
  '/activity/$id': () => import('../pages/receipt.tsx'),
  '/models': () => import('../pages/models.tsx'),
  '/playground': () => import('../pages/playground.tsx'),
  '/billing': () => import('../pages/billing.tsx'),
  '/webhooks': () => import('../pages/webhooks.tsx'),
  '/webhooks/$id': () => import('../pages/webhook.tsx'),
  '/market': () => import('../pages/market.tsx'),
  '/market/$section/$id': () => import('../pages/listing.tsx'),
  '/installed': () => import('../pages/installed.tsx'),
  '/settings': () => import('../pages/settings.tsx'),
  '/operator': () => import('../pages/operator.tsx'),
  '/operator/$view': () => import('../pages/operator.tsx'),
} as const;
