/** The releases of a listing, with their downloads; its owner publishes further ones and returns to earlier ones. */
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useReleases } from '../../api/market.ts';
import { isFree } from '../../api/offers.ts';
import { refreshSales, useBuilds, useIsEntitled } from '../../api/sales.ts';
import type { ArtifactBody, ListingBody, ReleaseBody } from '../../api/types.ts';
import { webAddress } from '../../api/web-address.ts';
import { Badge, Empty, Loaded, More, Panel, Time } from '../basics.tsx';
import { Confirmed } from '../dialog.tsx';
import { Form, Input, Select, useAction } from '../form.tsx';
import { Problem } from '../problem.tsx';
import { pathOf, sectionOf } from './listing-links.tsx';
import { nextVersion, takenText } from './versions.ts';

export function Releases({ of: listing, isOwner }: { readonly of: ListingBody; readonly isOwner: boolean }) {
  const releases = useReleases(sectionOf(listing), listing.id);
  const isEntitled = useIsEntitled(listing.id);
  const mayDownload = isOwner || isEntitled || isFree(listing);
  return (
    <Panel title="Releases">
      <div className="stack">
        <Loaded query={releases}>
          {(list) => (
            <>
              <ReleaseList of={listing} releases={list} isOwner={isOwner} mayDownload={mayDownload} />
              <More of={releases} />
              {isOwner ? <NewRelease of={listing} releases={list} /> : null}
            </>
          )}
        </Loaded>
      </div>
    </Panel>
  );
}

interface ReleaseListOptions {
  readonly of: ListingBody;
  /** Newest first. */
  readonly releases: readonly ReleaseBody[];
  readonly isOwner: boolean;
  readonly mayDownload: boolean;
}

function ReleaseList({ of: listing, releases, isOwner, mayDownload }: ReleaseListOptions) {
  if (releases.length === 0) return <Empty>No releases yet.</Empty>;
  const current = releases.findIndex(({ version }) => version === listing.version);
  return (
    <ul className="stack">
      {releases.map((release, index) => (
        <li key={release.id} className="row apart">
          <ReleaseText of={release} isCurrent={index === current} />
          <span className="row">
            {mayDownload && release.build_id !== null ? (
              <Download of={listing} version={release.version} />
            ) : null}
            {isOwner && index !== current ? (
              <MakeCurrent of={listing} release={release} isEarlier={index > current && current !== -1} />
            ) : null}
          </span>
        </li>
      ))}
    </ul>
  );
}

const ReleaseText = ({
  of: { version, created, notes, digest },
  isCurrent,
}: {
  readonly of: ReleaseBody;
  readonly isCurrent: boolean;
}) => (
  <div>
    <strong>{version}</strong> {isCurrent ? <Badge tone="good">current</Badge> : null}{' '}
    <span className="quiet small">
      <Time at={created} />
    </span>
    <span className="break"> {notes}</span>
    {digest === null ? null : <div className="mono small quiet break">{digest}</div>}
  </div>
);

interface MakeCurrentOptions {
  readonly of: ListingBody;
  readonly release: ReleaseBody;
  readonly isEarlier: boolean;
}

function MakeCurrent({ of: listing, release: { version, build_id: build }, isEarlier }: MakeCurrentOptions) {
  const makeCurrent = async () => {
    await call(`${pathOf(listing)}/releases/${encodeURIComponent(version)}/rollback`, { method: 'POST' });
    await refreshSales();
  };
  return (
    <Confirmed
      text={isEarlier ? `Roll back to ${version}` : `Make ${version} current`}
      question={`This release becomes the listing's version again.${build === null ? ' It has no build, so buyers can download nothing of it.' : ''}`}
      action={makeCurrent}
      className="button small"
    />
  );
}

function Download({ of: listing, version }: { readonly of: ListingBody; readonly version: string }) {
  const { run, busy, error } = useAction(async () => {
    const path = `${pathOf(listing)}/releases/${encodeURIComponent(version)}/artifact`;
    const address = webAddress((await call<ArtifactBody>(path)).url);
    // It is an attachment, so the page stays.
    if (address !== undefined) location.assign(address);
  });
  return (
    <>
      <Problem error={error} />
      <button type="button" className="button small" disabled={busy} onClick={() => run()}>
        Download {version}
      </button>
    </>
  );
}

interface NewReleaseOptions {
  readonly of: ListingBody;
  readonly releases: readonly ReleaseBody[];
}

function NewRelease({ of: listing, releases }: NewReleaseOptions) {
  const builds = useBuilds(sectionOf(listing), listing.id);
  const taken = releases.map(({ version: each }) => each);
  const [typed, setTyped] = useState<string>();
  const version = typed ?? nextVersion([listing.version, ...taken]);
  const [notes, setNotes] = useState('');
  const [chosen, setChosen] = useState<string>();
  const clean = (builds.data ?? []).filter(({ status }) => status === 'clean');
  // Builds are listed newest first.
  const build = chosen ?? clean[0]?.id ?? '';
  const release = async () => {
    const body = { version, notes, ...(build === '' ? {} : { build_id: build }) };
    await call(`${pathOf(listing)}/releases`, { method: 'POST', body });
    setNotes('');
    for (const clear of [setTyped, setChosen]) clear(undefined);
    await refreshSales();
  };
  return (
    <Form submit="Publish the release" onSubmit={release}>
      <div className="columns">
        <Input label="Version" value={version} onChange={setTyped} required hint={takenText(taken)} />
        <Input label="Notes" value={notes} onChange={setNotes} />
        <Select
          label="Build"
          value={build}
          onChange={setChosen}
          options={[
            ['', 'Without a build'],
            ...clean.map(({ id, filename, digest }) => [id, `${filename} ${digest.slice(7, 15)}`] as const),
          ]}
          hint="Only clean builds can be released."
        />
      </div>
    </Form>
  );
}
