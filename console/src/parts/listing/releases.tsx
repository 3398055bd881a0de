/** The releases of a listing, with their downloads; its owner publishes further ones and returns to earlier ones. */
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useReleases } from '../../api/market.ts';
import { isFree } from '../../api/offers.ts';
import { refreshSales, useBuilds, useIsEntitled } from '../../api/sales.ts';
import type { ArtifactBody, ListingBody, ReleaseBody } from '../../api/types.ts';
import { webAddress } from '../../api/web-address.ts';
import { Empty, Loaded, More, Panel, Time } from '../basics.tsx';
import { Confirmed } from '../dialog.tsx';
import { Form, Input, Select, useAction } from '../form.tsx';
import { Problem } from '../problem.tsx';
import { pathOf, sectionOf } from './listing-links.tsx';

export function Releases({ of: listing, isOwner }: { readonly of: ListingBody; readonly isOwner: boolean }) {
  const releases = useReleases(sectionOf(listing), listing.id);
  const isEntitled = useIsEntitled(listing.id);
  const mayDownload = isOwner || isEntitled || isFree(listing);
  const back = async (to: string) => {
    await call(`${pathOf(listing)}/releases/${encodeURIComponent(to)}/rollback`, { method: 'POST' });
    await refreshSales();
  };
  return (
    <Panel title="Releases">
      <div className="stack">
        <Loaded query={releases}>
          {(list) =>
            list.length === 0 ? (
              <Empty>No releases yet.</Empty>
            ) : (
              <ul className="stack">
                {list.map((release) => (
                  <li key={release.id} className="row apart">
                    <ReleaseText of={release} />
                    <span className="row">
                      {mayDownload && release.build_id !== null ? (
                        <Download of={listing} version={release.version} />
                      ) : null}
                      {isOwner && release.version !== listing.version ? (
                        <Confirmed
                          text={`Roll back to ${release.version}`}
                          question="This release becomes the listing's version again."
                          action={() => back(release.version)}
                          className="button small"
                        />
                      ) : null}
                    </span>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
        <More of={releases} />
        {isOwner ? <NewRelease of={listing} /> : null}
      </div>
    </Panel>
  );
}

const ReleaseText = ({ of: { version, created, notes } }: { readonly of: ReleaseBody }) => (
  <span>
    <strong>{version}</strong>{' '}
    <span className="quiet small">
      <Time at={created} />
    </span>
    <span className="break"> {notes}</span>
  </span>
);

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

function NewRelease({ of: listing }: { readonly of: ListingBody }) {
  const builds = useBuilds(sectionOf(listing), listing.id);
  const [version, setVersion] = useState('');
  const [notes, setNotes] = useState('');
  const [chosen, setChosen] = useState<string>();
  const clean = (builds.data ?? []).filter(({ status }) => status === 'clean');
  // Builds are listed newest first.
  const build = chosen ?? clean[0]?.id ?? '';
  const release = async () => {
    const body = { version, notes, ...(build === '' ? {} : { build_id: build }) };
    await call(`${pathOf(listing)}/releases`, { method: 'POST', body });
    for (const clear of [setVersion, setNotes]) clear('');
    setChosen(undefined);
    await refreshSales();
  };
  return (
    <Form submit="Publish the release" onSubmit={release}>
      <div className="columns">
        <Input label="Version" value={version} onChange={setVersion} required placeholder="1.1.0" />
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
