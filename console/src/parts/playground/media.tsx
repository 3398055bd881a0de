/** Images, speech and transcription. */
import { type ReactNode, useEffect, useState } from 'react';
import { inference, type PlaygroundMetrics } from '../../api/playground.ts';
import { IMAGE_SIZES, KIND_PATHS } from '../../api/values.ts';
import { Field, Form, Input, Select, TextArea } from '../form.tsx';
import type { SnippetRequest } from '../snippets/requests.ts';
import { AsCode } from '../snippets/tabs.tsx';
import type { TrialModel } from './chat.tsx';
import { MetricsLine } from './metrics-line.tsx';

interface TrialOptions<T> {
  readonly submit: string;
  readonly request: SnippetRequest;
  /** The body of the call, where it is not that of `request`. */
  readonly body?: () => FormData;
  readonly read: (response: Response) => Promise<T>;
  /** Shows the result of the call. */
  readonly show: (result: T) => ReactNode;
  readonly children: ReactNode;
}

/** Renders a form that makes one call, and shows its output and metrics. */
function Trial<T>({ submit, request, body, read, show, children }: TrialOptions<T>) {
  const [outcome, setOutcome] = useState<{ readonly result: T; readonly metrics: PlaygroundMetrics }>();
  const run = async () => {
    // An error stands alone, not above what an earlier call has returned.
    setOutcome(undefined);
    const startedMs = performance.now();
    const path = KIND_PATHS[request.kind];
    const requestBody = body === undefined ? request.body : body();
    const { response, requestId } = await inference(path, requestBody, AbortSignal.timeout(600_000));
    const result = await read(response);
    const totalMs = performance.now() - startedMs;
    setOutcome({ result, metrics: { requestId, firstMs: totalMs, totalMs, cut: false } });
  };
  return (
    <>
      <div className="panel stack">
        <Form submit={submit} onSubmit={run}>
          {children}
        </Form>
        {outcome === undefined ? null : (
          <>
            {show(outcome.result)}
            <div role="status">
              <MetricsLine metrics={outcome.metrics} />
            </div>
          </>
        )}
      </div>
      <AsCode of={() => request} />
    </>
  );
}

interface Images {
  readonly data: readonly { readonly b64_json?: string }[];
}

export function ImageTrial({ model }: TrialModel) {
  const [prompt, setPrompt] = useState('A lighthouse at dusk');
  const [size, setSize] = useState('');
  const sized = size === '' ? {} : { size };
  return (
    <Trial
      submit="Generate"
      request={{ kind: 'image', body: { model, prompt, ...sized, response_format: 'b64_json' } }}
      read={async (response) => (await response.json()) as Images}
      show={({ data: [image] }) =>
        image?.b64_json === undefined ? null : (
          <img className="picture" src={`data:image/png;base64,${image.b64_json}`} alt={prompt} />
        )
      }
    >
      <TextArea label="Prompt" value={prompt} onChange={setPrompt} rows={2} />
      <Select
        label="Size"
        value={size}
        onChange={setSize}
        options={[['', 'The default'], ...IMAGE_SIZES.map((each) => [each, each] as const)]}
      />
    </Trial>
  );
}

export function SpeechTrial({ model, voices = [] }: TrialModel) {
  const [input, setInput] = useState('Every call has a price, and this one is yours.');
  const [voice, setVoice] = useState(voices[0] ?? 'alloy');
  return (
    <Trial
      submit="Speak"
      request={{ kind: 'tts', body: { model, input, voice } }}
      read={(response) => response.blob()}
      show={(audio) => <Audio of={audio} />}
    >
      <TextArea label="Text" value={input} onChange={setInput} rows={2} />
      {voices.length === 0 ? (
        <Input label="Voice" value={voice} onChange={setVoice} />
      ) : (
        <Select
          label="Voice"
          value={voice}
          onChange={setVoice}
          options={voices.map((each) => [each, each])}
        />
      )}
    </Trial>
  );
}

function Audio({ of: audio }: { readonly of: Blob }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const objectUrl = URL.createObjectURL(audio);
    setUrl(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [audio]);
  // biome-ignore lint/a11y/useMediaCaption: the field above it contains its text.
  return <audio controls src={url} />;
}

export function TranscriptionTrial({ model }: TrialModel) {
  const [file, setFile] = useState<File>();
  const body = () => {
    if (file === undefined) throw new Error('Choose a file.');
    const form = new FormData();
    form.set('model', model);
    form.set('file', file);
    return form;
  };
  return (
    <Trial
      submit="Transcribe"
      request={{ kind: 'audio', body: { model }, ...(file === undefined ? {} : { file: file.name }) }}
      body={body}
      read={async (response) => (await response.json()) as { readonly text: string }}
      show={({ text }) => <p className="turn assistant">{text}</p>}
    >
      <Field label="Audio file">
        {(id) => (
          <input id={id} type="file" accept="audio/*" onChange={({ target }) => setFile(target.files?.[0])} />
        )}
      </Field>
    </Trial>
  );
}
