/** The state of a conversation: its turns, the text that is being streamed, and how the last answer ended. */
import { useRef, useState } from 'react';
import { type PlaygroundMetrics, streamChat } from '../../api/playground.ts';
import { useAction } from '../form.tsx';
import type { SnippetTurn } from '../snippets/requests.ts';
import { chatBody, type Draft, messageOf } from './chat-body.ts';

interface EndedAnswer {
  readonly isCut: boolean;
  /** The output limit of its request. */
  readonly maxTokens: string;
}

/** The metrics of calls, by the position of the last turn of each. */
export type TurnMetrics = ReadonlyMap<number, PlaygroundMetrics>;

/** `onUnanswered` receives a message that failed before any answer: it leaves the conversation. */
export function useConversation(model: string, onUnanswered: (text: string, picture: string) => void) {
  const [turns, setTurns] = useState<readonly SnippetTurn[]>([]);
  const [coming, setComing] = useState<string>();
  const [ended, setEnded] = useState<EndedAnswer>();
  const [metrics, setMetrics] = useState<TurnMetrics>(new Map());
  const stop = useRef<AbortController>(null);
  const { run, busy, error } = useAction(async (text: string, picture: string, draft: Draft) => {
    if (text.trim() === '') throw new Error('Write a message.');
    const requestTurns: readonly SnippetTurn[] = [...turns, messageOf(text, picture)];
    const controller = new AbortController();
    stop.current = controller;
    setTurns(requestTurns);
    setEnded(undefined);
    let nextTurns = requestTurns;
    let output = '';
    const take = (delta: string) => {
      output += delta;
      setComing(output);
    };
    try {
      const answer = await streamChat(chatBody(model, requestTurns, draft), take, controller.signal);
      setEnded({ isCut: answer.cut, maxTokens: draft.maxTokens });
      const at = output === '' ? requestTurns.length - 1 : requestTurns.length;
      setMetrics((before) => new Map(before).set(at, answer));
    } catch (failure) {
      if (controller.signal.aborted) return;
      if (output === '') {
        nextTurns = turns;
        onUnanswered(text, picture);
      }
      throw failure;
    } finally {
      setTurns(output === '' ? nextTurns : [...requestTurns, { role: 'assistant', content: output }]);
      setComing(undefined);
    }
  });
  return {
    turns,
    coming,
    ended,
    metrics,
    busy,
    error,
    send: run,
    stop: () => stop.current?.abort(),
    clear: () => {
      setTurns([]);
      setEnded(undefined);
      setMetrics(new Map());
    },
  };
}
