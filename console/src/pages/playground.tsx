/** Playground: every kind of call, at its real price, with a throw-away key. */
import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { endPlaygroundKey, PLAYGROUND_CAP_USD } from '../api/playground.ts';
import { usePrices } from '../api/queries.ts';
import type { Price } from '../api/types.ts';
import { Empty, Loaded, PageHead, Panel } from '../parts/basics.tsx';
import { Select, Tabs } from '../parts/form.tsx';
import { ChatTrial } from '../parts/playground/chat.tsx';
import { ImageTrial, SpeechTrial, TranscriptionTrial } from '../parts/playground/media.tsx';
import { NO_KEY, SnippetTabs } from '../parts/snippet-tabs.tsx';

const TRIALS = [
  ['chat', 'Chat'],
  ['image', 'Images'],
  ['tts', 'Speech'],
  ['audio', 'Transcription'],
] as const;

type Kind = (typeof TRIALS)[number][0];

const TRIAL = { chat: ChatTrial, image: ImageTrial, tts: SpeechTrial, audio: TranscriptionTrial } as const;

export function Playground() {
  const prices = usePrices();
  // What it may spend ends with the page.
  useEffect(() => () => void endPlaygroundKey(), []);
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

function Trials({ prices }: { readonly prices: readonly Price[] }) {
  const { model: asked } = useSearch({ from: '/playground' });
  const found = prices.find(({ model_id: id }) => id === asked);
  const [kind, setKind] = useState<Kind>(TRIALS.find(([each]) => each === found?.type)?.[0] ?? 'chat');
  const models = prices.filter(({ type }) => type === kind).map(({ model_id: id }) => id);
  const [chosen, setChosen] = useState(found?.model_id ?? '');
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
          <Panel title="As code">
            <SnippetTabs apiKey={NO_KEY} model={model} />
          </Panel>
        </>
      )}
    </>
  );
}
