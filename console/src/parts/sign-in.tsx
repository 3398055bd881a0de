/** The page of who is not signed in: a button for each identity provider. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { providers, type Role, signInFailure, startSignIn } from '../api/session.ts';
import { Loaded, useTitle } from './basics.tsx';
import { useAction } from './form.tsx';
import { Problem } from './problem.tsx';

/** The sign of the service. */
export const Logo = () => (
  <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
    <path
      d="M3 6h10a4 4 0 0 1 0 8H9M3 11h6M3 16h4"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.4"
      strokeLinecap="round"
    />
  </svg>
);

/** The name that the operator has given the service; the page has it. */
export const SERVICE_NAME: string =
  document.querySelector<HTMLMetaElement>('meta[name=application-name]')?.content ?? '';

/** The same as stands on the page before any script has run. */
export const Brand = () => (
  <span className="brand">
    <Logo />
    {SERVICE_NAME}
  </span>
);

export function SignIn({ as: role = 'owner' }: { readonly as?: Role }) {
  const providersQuery = useQuery({ queryKey: ['providers'], queryFn: providers, staleTime: 60_000 });
  const { run, busy, error } = useAction(startSignIn);
  const title = role === 'owner' ? 'Sign in' : 'Sign in as an operator';
  useTitle(title);
  return (
    <main className="sign-in">
      <section className="panel stack" aria-labelledby="sign-in">
        <Brand />
        <h1 id="sign-in">{title}</h1>
        <p className="quiet">
          {role === 'owner'
            ? 'One prepaid balance in front of every model. The first sign-in opens an account.'
            : 'The view of who runs the service, for accounts that are marked as operators.'}
        </p>
        <Problem error={error ?? signInFailure()} />
        <Loaded query={providersQuery}>
          {(list) =>
            list.length === 0 ? (
              <p className="note warn">
                No identity provider is set up for this console. The operator's guide says how to add one.
              </p>
            ) : (
              <div className="stack tight">
                {list.map((provider) => (
                  <button
                    key={provider.id}
                    type="button"
                    className="button main"
                    disabled={busy}
                    onClick={() => run(provider, role)}
                  >
                    Continue with {provider.name}
                  </button>
                ))}
              </div>
            )
          }
        </Loaded>
        {role === 'owner' ? (
          <Link to="/models" className="small">
            Models and prices, without an account
          </Link>
        ) : null}
      </section>
    </main>
  );
}
