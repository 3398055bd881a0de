/** Spend by day as bars, and the same amounts in a table for screen readers. */
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { usdNumber, usdText } from '../api/money.ts';
import type { DaySpend } from '../api/usage-rollups.ts';

const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const dayText = (start: number): string => DAY.format(new Date(start * 1000));

/** Few digits, as an axis has room for. */
const axisText = (usd: number): string => (usd === 0 ? '$0' : `$${Number(usd.toPrecision(3))}`);

function optionsOf(element: HTMLElement, days: readonly DaySpend[]): uPlot.Options {
  const style = getComputedStyle(element);
  const [accent, line, quiet] = ['--accent', '--line', '--quiet'].map((name) => {
    // `light-dark()` is resolved where it is used as a colour.
    element.style.color = `var(${name})`;
    const { color } = style;
    element.style.color = '';
    return color;
  }) as [string, string, string];
  const font = '12px system-ui, sans-serif';
  const axis = { stroke: quiet, font, ticks: { show: false } };
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [-0.6, days.length - 0.4] },
      y: { range: (_plot, _min, max) => [0, max <= 0 ? 1 : max * 1.1] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        grid: { show: false },
        values: (_plot, ticks) => ticks.map((at) => (days[at] === undefined ? '' : dayText(days[at].start))),
        incrs: [1, 2, 5, 7, 14],
        space: 56,
      },
      { ...axis, size: 64, grid: { stroke: line, width: 1 }, values: (_plot, ticks) => ticks.map(axisText) },
    ],
    series: [
      {},
      {
        stroke: accent,
        fill: accent,
        width: 0,
        paths: uPlot.paths.bars?.({ size: [0.62, 48], radius: 0.15 }),
        points: { show: false },
      },
    ] as uPlot.Series[],
  };
}

export function SpendChart({ days }: { readonly days: readonly DaySpend[] }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let plot: uPlot | undefined;
    const draw = () => {
      plot?.destroy();
      const data: uPlot.AlignedData = [days.map((_, at) => at), days.map(({ cost }) => usdNumber(cost))];
      plot = new uPlot(optionsOf(element, days), data, element);
    };
    const resized = new ResizeObserver(draw);
    resized.observe(element);
    const themed = new MutationObserver(draw);
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      resized.disconnect();
      themed.disconnect();
      plot?.destroy();
    };
  }, [days]);
  return (
    <figure>
      <div className="chart" ref={box} aria-hidden="true" />
      <div className="hidden">
        <table>
          <caption>Spend by day</caption>
          <tbody>
            {days.map(({ start, cost }) => (
              <tr key={start}>
                <th scope="row">{dayText(start)}</th>
                <td>{usdText(cost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
