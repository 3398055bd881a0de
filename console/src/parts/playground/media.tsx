/** Images, speech and transcription. */
import { type ReactNode, useEffect, useState } from 'react';
import { inference, type PlaygroundMetrics } from '../../api/playground.ts';
import { KIND_PATHS } from '../../api/values.ts';
import { Field, Form, Input, TextArea } from '../form.tsx';
import type { SnippetRequest } from '../snippets/requests.ts';
import { AsCode } from '../snippets/tabs.tsx';
import { MadeLine } from './made.tsx';

/** Makes one call and notes what it took. */
async function timed<T>(
  path: string,
  body: unknown,
  read: (response: Response) => Promise<T>,
): Promise<{ readonly answer: T; readonly made: PlaygroundMetrics }> {
  const startedMs = performance.now();
  const { response, requestId } = await inference(path, body, AbortSignal.timeout(600_000));
  const answer = await read(response);
  const totalMs = performance.now() - startedMs;
  return { answer, made: { requestId, firstMs: totalMs, totalMs } };
}

function Trial({
  submit,
  onSubmit,
  made,
  result,
  request,
  children,
}: {
  readonly submit: string;
  readonly onSubmit: () => Promise<void>;
  readonly made: PlaygroundMetrics | undefined;
  readonly result: ReactNode;
  readonly request: SnippetRequest;
  readonly children: ReactNode;
}) {
  return (
    <>
      <div className="panel stack">
        <Form submit={submit} onSubmit={onSubmit}>
          {children}
        </Form>
        {result}
        {made === undefined ? null : <MadeLine made={made} />}
      </div>
      <AsCode of={() => request} />
    </>
  );
}

interface Images {
  readonly data: readonly { readonly b64_json?: string }[];
}

export function ImageTrial({ model }: { readonly model: string }) {
  const [prompt, setPrompt] = useState('A lighthouse at dusk');
  const body = { model, prompt, response_format: 'b64_json' };
  const [image, setImage] = useState<string>();
  const [made, setMade] = useState<PlaygroundMetrics>();
  const draw = async () => {
    const { answer, made: after } = await timed(
      KIND_PATHS.image,
      body,
      async (response) => (await response.json()) as Images,
    );
    setImage(answer.data[0]?.b64_json);
    setMade(after);
  };
  return (
    <Trial
      submit="Draw"
      request={{ kind: 'image', body }}
      onSubmit={draw}
      made={made}
      result={
        image === undefined ? null : (
          <img className="picture" src={`data:image/png;base64,${image}`} alt={prompt} />
        )
      }
    >
      <TextArea label="Prompt" value={prompt} onChange={setPrompt} rows={2} />
    </Trial>
  );
}

export function SpeechTrial({ model }: { readonly model: string }) {
  const [input, setInput] = useState('Every call has a price, and this one is yours.');
  const [voice, setVoice] = useState('alloy');
  const body = { model, input, voice };
  const [audio, setAudio] = useState<string>();
  const [made, setMade] = useState<PlaygroundMetrics>();
  useEffect(
    () => () => {
      if (audio !== undefined) URL.revokeObjectURL(audio);
    },
    [audio],
  );
  const speak = async () => {
    const { answer, made: after } = await timed(KIND_PATHS.tts, body, (response) => response.blob());
    setAudio(URL.createObjectURL(answer));
    setMade(after);
  };
  return (
    <Trial
      submit="Speak"
      request={{ kind: 'tts', body }}
      onSubmit={speak}
      made={made}
      // biome-ignore lint/a11y/useMediaCaption: its text stands in the field above it.
      result={audio === undefined ? null : <audio controls src={audio} />}
    >
      <TextArea label="Text" value={input} onChange={setInput} rows={2} />
      <Input label="Voice" value={voice} onChange={setVoice} />
    </Trial>
  );
}

export function TranscriptionTrial({ model }: { readonly model: string }) {
  const [file, setFile] = useState<File>();
  const [text, setText] = useState<string>();
  const [made, setMade] = useState<PlaygroundMetrics>();
  const transcribe = async () => {
    if (file === undefined) throw new Error('Choose a file.');
    const form = new FormData();
    form.set('model', model);
    form.set('file', file);
    const { answer, made: after } = await timed(KIND_PATHS.audio, form, async (response) => {
      const said: { readonly text: string } = await response.json();
      return said.text;
    });
    setText(answer);
    setMade(after);
  };
  return (
    <Trial
      submit="Transcribe"
      request={{ kind: 'audio', body: { model }, ...(file === undefined ? {} : { file: file.name }) }}
      onSubmit={transcribe}
      made={made}
      result={text === undefined ? null : <p className="turn assistant">{text}</p>}
    >
      <Field label="Audio file">
        {(id) => (
          <input id={id} type="file" accept="audio/*" onChange={({ target }) => setFile(target.files?.[0])} />
        )}
      </Field>
    </Trial>
  );
}
