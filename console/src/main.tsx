/** Starts the console: completes a sign-in that has just returned, then shows the requested page. */
// Before anything here runs, and most times long before.
import './first.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/queries.ts';
import { endSignIn, noteSignInFailure } from './api/session.ts';
import { router } from './app/router.tsx';
import './styles.css';

// The payment provider sends sellers back with `?returned=payout_account`, and whoever has paid, or not, with
// `?order_id=…&outcome=…`.
const returned = new URLSearchParams(location.search);
if (returned.get('returned') === 'payout_account')
  history.replaceState(null, '', `${location.pathname}#/earnings`);
const order = returned.get('order_id');
if (order !== null) {
  const query = new URLSearchParams({ order, outcome: returned.get('outcome') ?? '' });
  history.replaceState(null, '', `${location.pathname}#/billing?${query}`);
}
await endSignIn().catch(noteSignInFailure);

const container = document.getElementById('console');
if (container === null) throw new Error('the page has no place for the console');
createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
