/** Playground: every kind of call, at its real price, with a throw-away key. */
import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { endPlaygroundKey, PLAYGROUND_CAP_USD } from '../api/playground.ts';
import { listKeysAgain, usePrices } from '../api/queries.ts';
import type { PriceBody } from '../api/types.ts';
import { KINDS } from '../api/values.ts';
import { Empty, Loaded, PageHead } from '../parts/basics.tsx';
import { Select, Tabs } from '../parts/form.tsx';
import { ChatTrial } from '../parts/playground/chat.tsx';
import { ImageTrial, SpeechTrial, TranscriptionTrial } from '../parts/playground/media.tsx';

const TRIAL = { chat: ChatTrial, image: ImageTrial, tts: SpeechTrial, audio: TranscriptionTrial } as const;

type TrialKind = keyof typeof TRIAL;

const isTrial = (kind: string | undefined): kind is TrialKind =>
  kind !== undefined && Object.hasOwn(TRIAL, kind);

const TRIALS = KINDS.flatMap(([kind, name]) => (isTrial(kind) ? [[kind, name] as const] : []));

export function Playground() {
  const prices = usePrices();
  // The key can spend nothing after the page is left; a visible list of keys is refreshed.
  useEffect(() => () => void endPlaygroundKey().then(listKeysAgain), []);
  return (
    <div className="page">
      <PageHead
        title="Playground"
        about={`Real calls at real prices, with a key of its own that may spend $${PLAYGROUND_CAP_USD} and ends when you leave.`}
      />
      <Loaded query={prices}>{(all) => <Trials prices={all} />}</Loaded>
    </div>
  );
}

function Trials({ prices }: { readonly prices: readonly PriceBody[] }) {
  const { model: requestedModel } = useSearch({ from: '/playground' });
  const price = prices.find(({ model_id: id }) => id === requestedModel);
  const [kind, setKind] = useState<TrialKind>(isTrial(price?.type) ? price.type : 'chat');
  const models = prices.filter(({ type }) => type === kind).map(({ model_id: id }) => id);
  const [chosen, setChosen] = useState(price?.model_id ?? '');
  const model = models.includes(chosen) ? chosen : models[0];
  const Trial = TRIAL[kind];
  return (
    <>
      <Tabs label="Kind of call" tabs={TRIALS} current={kind} onChange={setKind} />
      {model === undefined ? (
        <Empty>The catalog has no model of this kind.</Empty>
      ) : (
        <>
          <div className="filters">
            <Select
              label="Model"
              value={model}
              onChange={setChosen}
              options={models.map((id) => [id, id] as const)}
            />
          </div>
          <Trial key={`${kind} ${model}`} model={model} />
        </>
      )}
    </>
  );
}
