/** The layout of every page: navigation, and the signed-in account. */
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { SERVICE } from '../api/client.ts';
import {
  forgetAccount,
  refreshAccount,
  useAccount,
  useBalance,
  useFirstKey,
  useHasMarket,
} from '../api/queries.ts';
import { signOut, startSessionRenewal } from '../api/session.ts';
import { Money, NotFound } from '../parts/basics.tsx';
import { useLeaveWarning } from '../parts/leave-warning.ts';
import { Brand, Logo, SERVICE_NAME, SignIn } from '../parts/sign-in.tsx';
import { applyTheme, storedTheme, type Theme } from './theme.ts';

const PAGES = [
  ['/', 'Home'],
  ['/keys', 'Keys'],
  ['/activity', 'Activity'],
  ['/models', 'Models'],
  ['/playground', 'Playground'],
  ['/billing', 'Billing'],
  ['/earnings', 'Earnings'],
  ['/webhooks', 'Webhooks'],
  ['/market', 'Market'],
  ['/installed', 'Installed'],
  ['/settings', 'Settings'],
] as const;

/** The pages of a service with a market. */
const MARKET_PAGES: readonly string[] = ['/earnings', '/market', '/installed'];

const isOfMarket = (path: string): boolean => MARKET_PAGES.includes(`/${path.split('/')[1]}`);

export function Shell() {
  const account = useAccount();
  const hasMarket = useHasMarket();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const signedIn = account.data !== undefined && account.data !== null;
  useEffect(() => (signedIn ? startSessionRenewal(refreshAccount) : undefined), [signedIn]);
  // A key that is not copied is in the memory of this page load alone, whichever page shows.
  useLeaveWarning(useFirstKey()?.secret !== undefined);
  if (account.data === undefined) {
    return (
      <main className="sign-in" role={account.error === null ? 'status' : 'alert'}>
        {account.error === null ? (
          <>
            <Brand />
            <span className="hidden">Loading</span>
          </>
        ) : (
          account.error.message
        )}
      </main>
    );
  }
  if (account.data === null) return path === '/models' ? <PublicPage /> : <SignIn />;
  return (
    <div className="frame">
      <Side email={account.data.email} />
      <main id="content" tabIndex={-1}>
        {hasMarket || !isOfMarket(path) ? <Outlet /> : <NotFound />}
      </main>
    </div>
  );
}

/** The first stop of the keyboard, shown while it has the focus. What follows `#` in a link is a page, so it is a button. */
const SkipToContent = () => (
  <button type="button" className="button skip" onClick={() => document.getElementById('content')?.focus()}>
    Skip to content
  </button>
);

/** The layout of a page that needs no account. */
const PublicPage = () => (
  <div className="public">
    <header className="row">
      <Link to="/" className="brand">
        <Logo />
        Inference
      </Link>
      <a href={`${SERVICE}/docs`} className="button">
        API reference
      </a>
      <Link to="/" className="button main">
        Sign in
      </Link>
    </header>
    <main id="content">
      <Outlet />
    </main>
  </div>
);

function Side({ email }: { readonly email: string | null }) {
  const balance = useBalance();
  const hasMarket = useHasMarket();
  const leave = async () => {
    await signOut(false).catch(() => {});
    await forgetAccount();
  };
  return (
    <header className="side">
      <SkipToContent />
      <Link to="/" className="brand">
        <Logo />
        {SERVICE_NAME}
      </Link>
      <nav aria-label="Pages" ref={useCurrentInView()}>
        <ul>
          {PAGES.filter(([to]) => hasMarket || !isOfMarket(to)).map(([to, text]) => (
            <li key={to}>
              <Link to={to} activeOptions={{ exact: to === '/' }} activeProps={{ 'aria-current': 'page' }}>
                {text}
              </Link>
            </li>
          ))}
          <li>
            <a href={`${SERVICE}/docs`}>API reference</a>
          </li>
        </ul>
      </nav>
      <div className="foot">
        {balance.data === undefined ? null : (
          <span className="small" title="Balance">
            <Money nano={balance.data.balance} />
          </span>
        )}
        <span className="email small quiet break">{email ?? 'Signed in'}</span>
        <div className="row">
          <ThemeChoice />
          <button type="button" className="button small" onClick={leave}>
            Sign out
          </button>
        </div>
      </div>
    </header>
  );
}

/** Scrolls the current entry of a navigation into view, where it is wider than the screen. */
function useCurrentInView() {
  const navigation = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path marks another entry.
  useEffect(() => {
    const list = navigation.current;
    const current = list?.querySelector<HTMLElement>('[aria-current="page"]');
    if (list != null && current != null)
      list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
  }, [path]);
  return navigation;
}

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const THEME_TEXT: Readonly<Record<Theme, string>> = { system: 'auto', light: 'light', dark: 'dark' };

function ThemeChoice() {
  const [theme, setTheme] = useState(storedTheme);
  const next = NEXT[theme];
  return (
    <button
      type="button"
      className="button small"
      title={`Change to ${THEME_TEXT[next]}`}
      onClick={() => {
        applyTheme(next);
        setTheme(next);
      }}
    >
      Theme: {THEME_TEXT[theme]}
    </button>
  );
}
