/** The builds of a listing, for its owner: a zip is dropped, uploaded, inspected and scanned. */
import { useState } from 'react';
import { uploadBuild } from '../../api/build-upload.ts';
import { refreshSales, useBuilds } from '../../api/sales.ts';
import type { BuildBody, ListingBody } from '../../api/types.ts';
import { Badge, countText, Loaded, Panel, Time } from '../basics.tsx';
import { Field, useAction } from '../form.tsx';
import { Problem } from '../problem.tsx';
import { type Column, Table } from '../table.tsx';
import { pathOf, sectionOf } from './listing-links.tsx';

const TONES = {
  awaiting_upload: '',
  scanning: 'warn',
  clean: 'good',
  infected: 'bad',
  unsupported: 'bad',
  failed: 'bad',
  expired: '',
} as const;

/** The engine of a service without a scanner. */
const TEST_ENGINE = 'test-signature';

const COLUMNS: readonly Column<BuildBody>[] = [
  {
    head: 'File',
    of: 'break',
    cell: ({ filename, size }) => (
      <div>
        {filename}
        <div className="small quiet">{countText(size)} bytes</div>
      </div>
    ),
  },
  { head: 'Uploaded', cell: ({ created }) => <Time at={created} /> },
  {
    head: 'Verdict',
    cell: (build) => <Badge tone={TONES[build.status]}>{build.status.replace('_', ' ')}</Badge>,
  },
  { head: 'Details', of: 'break', cell: (build) => <Details of={build} /> },
];

const Details = ({ of: { reason, threats, engine } }: { readonly of: BuildBody }) => (
  <div className="small">
    {reason === null ? null : <div>Reason: {reason.replaceAll('_', ' ')}</div>}
    {threats.length === 0 ? null : <div>Found: {threats.join(', ')}</div>}
    {engine === null ? null : (
      <div className="quiet">
        {engine.name === TEST_ENGINE
          ? 'Scanned for the test file only: no malware scan'
          : `Scanned by ${engine.name}`}
      </div>
    )}
  </div>
);

export function Builds({ of: listing }: { readonly of: ListingBody }) {
  const builds = useBuilds(sectionOf(listing), listing.id);
  return (
    <Panel title="Builds">
      <div className="stack">
        <Upload of={listing} />
        <Loaded query={builds}>
          {(rows) => <Table columns={COLUMNS} rows={rows} idOf={({ id }) => id} empty="No builds yet." />}
        </Loaded>
      </div>
    </Panel>
  );
}

function Upload({ of: listing }: { readonly of: ListingBody }) {
  const [part, setPart] = useState(0);
  const { run, busy, error } = useAction(async (file: File) => {
    setPart(0);
    try {
      await uploadBuild(pathOf(listing), file, setPart);
    } finally {
      await refreshSales();
    }
  });
  return (
    <>
      <Field
        label="Archive"
        hint="Drop a .zip of at most 50 MB here. A build without a release expires after 30 days."
      >
        {(id) => (
          <input
            id={id}
            type="file"
            className="drop"
            accept=".zip"
            disabled={busy}
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file !== undefined) run(file);
              // The same file may be chosen again.
              target.value = '';
            }}
          />
        )}
      </Field>
      {busy ? <progress value={part} aria-label="Upload" /> : null}
      <Problem error={error} />
    </>
  );
}
