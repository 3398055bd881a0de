/** The layout of every page: navigation, and the signed-in account. */
import { Link, Outlet } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { forgetAccount, refreshAccount, useAccount, useBalance } from '../api/queries.ts';
import { signOut, startSessionRenewal } from '../api/session.ts';
import { Money } from '../parts/basics.tsx';
import { Brand, Logo, SignIn } from '../parts/sign-in.tsx';
import { applyTheme, storedTheme, type Theme } from './theme.ts';

const PAGES = [
  ['/', 'Home'],
  ['/keys', 'Keys'],
  ['/activity', 'Activity'],
  ['/models', 'Models'],
  ['/playground', 'Playground'],
  ['/billing', 'Billing'],
  ['/webhooks', 'Webhooks'],
  ['/market', 'Market'],
  ['/settings', 'Settings'],
] as const;

export function Shell() {
  const account = useAccount();
  const signedIn = account.data !== undefined && account.data !== null;
  useEffect(() => (signedIn ? startSessionRenewal(refreshAccount) : undefined), [signedIn]);
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
  if (account.data === null) return <SignIn />;
  return (
    <div className="frame">
      <Side email={account.data.email} />
      <main id="content">
        <Outlet />
      </main>
    </div>
  );
}

function Side({ email }: { readonly email: string | null }) {
  const balance = useBalance();
  const leave = async () => {
    await signOut(false).catch(() => {});
    await forgetAccount();
  };
  return (
    <div className="side">
      <Link to="/" className="brand">
        <Logo />
        Inference
      </Link>
      <nav aria-label="Pages">
        <ul>
          {PAGES.map(([to, text]) => (
            <li key={to}>
              <Link to={to} activeOptions={{ exact: to === '/' }} activeProps={{ 'aria-current': 'page' }}>
                {text}
              </Link>
            </li>
          ))}
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
    </div>
  );
}

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const THEME_TEXT: Readonly<Record<Theme, string>> = { system: 'Auto', light: 'Light', dark: 'Dark' };

function ThemeChoice() {
  const [theme, setTheme] = useState(storedTheme);
  const next = NEXT[theme];
  return (
    <button
      type="button"
      className="button small"
      aria-label={`Theme: ${THEME_TEXT[theme]}. Change to ${THEME_TEXT[next]}`}
      onClick={() => {
        applyTheme(next);
        setTheme(next);
      }}
    >
      {THEME_TEXT[theme]}
    </button>
  );
}
