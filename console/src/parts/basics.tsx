/** The small components of every page. */
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { usdParts } from '../api/money.ts';
import { Problem } from './problem.tsx';

/** An amount with every digit it has; what follows the cents is quieter. */
export function Money({ nano, large = false }: { readonly nano: bigint; readonly large?: boolean }) {
  const { cents, rest } = usdParts(nano);
  return (
    <span className={large ? 'money large' : 'money'}>
      {cents}
      {rest === '' ? null : <span className="rest">{rest}</span>}
    </span>
  );
}

const CLOCK = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** A time in seconds since the epoch or as ISO text, in the reader's own zone, which it names; a far one as its day. */
export function Time({ at, day = false }: { readonly at: number | string; readonly day?: boolean }) {
  const date = new Date(typeof at === 'number' ? at * 1000 : at);
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()} className="number">
      {(day ? DAY : CLOCK).format(date)}
    </time>
  );
}

/** Names the zone of the days of a page, which have no time. */
export const ZoneNote = () => (
  <p className="small quiet">Days are in your time zone, {DAY.resolvedOptions().timeZone}.</p>
);

const COUNT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

export const countText = (count: number): string => COUNT.format(count);

/** `1 call`, `1,200 calls`. */
export const numberOf = (count: number, one: string): string =>
  `${countText(count)} ${one}${count === 1 ? '' : 's'}`;

/** The title of the whole console, as its page has it. */
const CONSOLE_TITLE = document.title;

/** Names the page in the browser's tab and history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${CONSOLE_TITLE}`;
  }, [title]);
}

export function PageHead({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about?: ReactNode;
  readonly children?: ReactNode;
}) {
  useTitle(title);
  return (
    <div className="head">
      <div>
        <h1>{title}</h1>
        {about === undefined ? null : <p>{about}</p>}
      </div>
      {children === undefined ? null : <div className="row">{children}</div>}
    </div>
  );
}

export function Panel({
  title,
  aside,
  flush = false,
  children,
}: {
  readonly title?: string;
  readonly aside?: ReactNode;
  /** Extends a table to the edges. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <section className={flush ? 'panel flush' : 'panel'} aria-label={title}>
      {title === undefined ? null : (
        <header>
          <h2>{title}</h2>
          {aside}
        </header>
      )}
      {children}
    </section>
  );
}

/** One value that is read at a glance, with a remark below it. */
export const MetricCard = ({
  title,
  value,
  test,
  children,
}: {
  readonly title: string;
  readonly value: ReactNode;
  /** The name by which tests locate the value. */
  readonly test?: string;
  readonly children?: ReactNode;
}) => (
  <Panel>
    <dl className="figure">
      <dt>{title}</dt>
      <dd data-testid={test}>{value}</dd>
    </dl>
    {children}
  </Panel>
);

/** Names with their values. */
export const Facts = ({ of: facts }: { readonly of: Readonly<Record<string, ReactNode>> }) => (
  <dl className="facts">
    {Object.entries(facts).map(([name, value]) => (
      <Fragment key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </Fragment>
    ))}
  </dl>
);

export const Empty = ({ children }: { readonly children: ReactNode }) => (
  <div className="empty">{children}</div>
);

/** The page of an address that leads nowhere. */
export const NotFound = ({
  title = 'Page not found',
  children = 'There is no such page.',
}: {
  readonly title?: string;
  readonly children?: ReactNode;
}) => (
  <div className="page">
    <PageHead title={title} />
    <Empty>
      {children} <Link to="/">Go to Home</Link>.
    </Empty>
  </div>
);

export const Badge = ({
  tone = '',
  children,
}: {
  readonly tone?: '' | 'good' | 'warn' | 'bad';
  readonly children: ReactNode;
}) => <span className={`badge ${tone}`}>{children}</span>;

/** The result of a query, its loading state, or its error. */
export function Loaded<T>({
  query,
  children,
}: {
  readonly query: { readonly data: T | undefined; readonly error: Error | null };
  readonly children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <Problem error={query.error} />;
  return (
    <div className="stack tight" role="status">
      <span className="hidden">Loading</span>
      <div className="waiting" />
      <div className="waiting" />
    </div>
  );
}

/** A query that reads a list page by page. */
export interface PagedQuery {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

/** A button for the next page of a list, while there is one. */
export const More = ({
  of: query,
  text = 'Show more',
}: {
  readonly of: PagedQuery;
  readonly text?: string;
}) =>
  query.hasNextPage ? (
    <div className="row">
      <button
        type="button"
        className="button"
        disabled={query.isFetchingNextPage}
        onClick={() => query.fetchNextPage()}
      >
        {text}
      </button>
    </div>
  ) : null;

/** The data of a file. */
const LONG_DATA = /([\w+/]{60})[\w+/]{200,}={0,2}/g;

/** Text to be copied, such as a command. Of the data of a file, the beginning is shown, and all is copied. */
export function Code({
  text,
  label,
  wrap = false,
}: {
  readonly text: string;
  readonly label: string;
  /** Shows a long word, such as a key, in several lines, none below the button. */
  readonly wrap?: boolean;
}) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div className="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section tabIndex={0} aria-label={label}>
        <pre className={wrap ? 'wrap' : undefined}>{text.replaceAll(LONG_DATA, '$1…')}</pre>
      </section>
      <button type="button" className="button small" onClick={copy} aria-label={`Copy: ${label}`}>
        {copied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
