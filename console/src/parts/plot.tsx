import 'uplot/dist/uPlot.min.css';
import { Group, Table, Text, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { useTexts } from '../preferences/preferences.tsx';
import { useTimes } from '../preferences/times.tsx';
import classes from './parts.module.css';
import type { LineColor } from './plot-colors.ts';

export interface Line {
  label: string;
  color: LineColor;
  dash?: number[];
  values: readonly number[];
}

interface PlotProps {
  label: string;
  /** Moments in milliseconds. */
  times: readonly number[];
  lines: readonly Line[];
  /** Distance of the moments. Days are in UTC, as the gateway counts them. */
  unit?: 'minute' | 'day';
}

const HEIGHT = 220;
/** Distances of the marks between days, in seconds. */
const DAYS = [1, 2, 5, 7, 10].map((days) => days * 86_400);

/** Lines over time, with the same figures as a table for those who do not see them. */
export function Plot({ label, times: moments, lines, unit = 'minute' }: PlotProps) {
  const { queue, tenants } = useTexts();
  const times = useTimes();
  const scheme = useComputedColorScheme();
  const { ref: box, width } = useElementSize();
  const plot = useRef<UPlot | undefined>(undefined);
  const target = useRef<HTMLDivElement>(null);
  const format = times[unit];
  const formatNow = useRef(format);
  formatNow.current = format;
  const data: UPlot.AlignedData = [moments.map((at) => at / 1000), ...lines.map(({ values }) => [...values])];
  const dataNow = useRef(data);
  dataNow.current = data;
  const shape = lines.map(({ label: name, color, dash }) => `${name} ${color[scheme]} ${dash}`).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape stands for the lines, whose values come later
  useEffect(() => {
    if (target.current === null || width === 0) return undefined;
    const axis = scheme === 'dark' ? '#c9c9c9' : '#343a40';
    const grid = { stroke: scheme === 'dark' ? '#3b3b3b' : '#e9ecef', width: 1 };
    const created = new UPlot(
      {
        width,
        height: HEIGHT,
        legend: { show: false },
        ...(unit === 'day' && { tzDate: (at: number) => UPlot.tzDate(new Date(at * 1000), 'UTC') }),
        cursor: { drag: { x: false, y: false } },
        scales: {
          y: { range: (_plot, _min, max) => [0, max > 0 && unit === 'day' ? max * 1.1 : Math.max(4, max * 1.1)] },
        },
        axes: [
          {
            stroke: axis,
            grid,
            ...(unit === 'day' && { incrs: DAYS }),
            values: (_plot, splits) => splits.map((at) => formatNow.current(at * 1000)),
          },
          { stroke: axis, grid, size: 50 },
        ],
        series: [
          {},
          ...lines.map(({ color, dash }) => ({
            stroke: color[scheme],
            width: 2,
            points: { show: false },
            ...(dash && { dash }),
          })),
        ],
      },
      dataNow.current,
      target.current,
    );
    plot.current = created;
    return () => created.destroy();
  }, [width, scheme, shape, unit]);
  useEffect(() => {
    plot.current?.setData(data);
  });

  return (
    <div>
      <Group gap="md" mb="xs">
        {lines.map(({ label: name, color, dash }) => (
          <Group gap={6} key={name}>
            <svg width="22" height="8" aria-hidden="true">
              <line
                x1="0"
                y1="4"
                x2="22"
                y2="4"
                stroke={color[scheme]}
                strokeWidth="3"
                strokeDasharray={dash?.join(' ')}
              />
            </svg>
            <Text size="sm">{name}</Text>
          </Group>
        ))}
      </Group>
      <div ref={box} className={classes.plot}>
        <div ref={target} role="img" aria-label={label} />
      </div>
      <details>
        <summary>
          <Text size="xs" span>
            {queue.now.asTable}
          </Text>
        </summary>
        <Table aria-label={label} fz="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{unit === 'day' ? tenants.usage.day : queue.now.minute}</Table.Th>
              {lines.map(({ label: name }) => (
                <Table.Th key={name} ta="right">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {moments.map((at, index) => (
              <Table.Tr key={at}>
                <Table.Td>{format(at)}</Table.Td>
                {lines.map(({ label: name, values }) => (
                  <Table.Td key={name} ta="right">
                    {times.number(values[index] ?? 0)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </details>
    </div>
  );
}
