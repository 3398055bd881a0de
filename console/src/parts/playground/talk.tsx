/** The turns of a conversation. */
import { Fragment, useLayoutEffect, useRef } from 'react';
import type { SnippetTurn } from '../snippets/requests.ts';
import type { TurnMetrics } from './conversation.ts';
import { MetricsLine } from './metrics-line.tsx';

/** The conversation, which shows its newest text unless somebody has scrolled back. */
export function Talk({
  turns,
  metrics,
  coming,
}: {
  readonly turns: readonly SnippetTurn[];
  readonly metrics: TurnMetrics;
  readonly coming: string | undefined;
}) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const isSent = turns.at(-1)?.role === 'user' && coming === undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new text is followed.
  useLayoutEffect(() => {
    // A message of one's own is looked at, wherever the box was.
    if (isSent) follows.current = true;
    const element = box.current;
    if (element !== null && follows.current) element.scrollTop = element.scrollHeight;
  }, [turns, metrics, coming, isSent]);
  return (
    <div
      className="talk"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      role="log"
      aria-label="Conversation"
      aria-live="polite"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
      }}
    >
      {turns.length === 0 ? <p className="empty">Say something to the model.</p> : null}
      {turns.map((turn, at) => {
        const itsMetrics = metrics.get(at);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: turns are only ever added at the end.
          <Fragment key={at}>
            <Turn of={turn} />
            {itsMetrics === undefined ? null : <MetricsLine metrics={itsMetrics} />}
          </Fragment>
        );
      })}
      {coming === undefined ? null : <div className="turn assistant">{coming}</div>}
    </div>
  );
}

const Turn = ({ of: { role, content } }: { readonly of: SnippetTurn }) => (
  <div className={`turn ${role}`}>
    <span className="hidden">{role === 'user' ? 'You: ' : 'Model: '}</span>
    {typeof content === 'string'
      ? content
      : content.map((part) =>
          part.type === 'text' ? (
            part.text
          ) : (
            <img key="picture" className="picture" src={part.image_url.url} alt="Attached" />
          ),
        )}
  </div>
);

/** So close to the end a reader is at the end: less than two lines. */
const NEAR_END_PX = 40;
