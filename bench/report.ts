import { cpus, totalmem } from 'node:os';
import type { CpuSeconds } from './cpu.ts';

/** One line of the report. */
export interface Line {
  what: string;
  value: string;
  /** Share of the bare HTTP server's rate in the same run. */
  ratio?: number;
  p50Ms?: number;
  p99Ms?: number;
  /** CPU microseconds per message. */
  gatewayUs?: number;
  databaseUs?: number;
  note?: string;
}

/** Describes the machine, as far as the figures depend on it. */
export function describeMachine(): string {
  const [cpu] = cpus();
  const gib = Math.round(totalmem() / 1024 ** 3);
  return `${cpus().length} cores (${cpu?.model.trim()}), ${gib} GiB, Node ${process.version}, everything on this machine, durable commits`;
}

/** A separate table, for results that do not fit a line. */
export interface Table {
  header: string[];
  rows: string[][];
  /** Remarks, one sentence each. */
  notes: string[];
}

/** Renders a scenario's own table in Markdown, with its notes below. */
export function renderOwnTable({ header, rows, notes }: Table): string {
  return [renderCells([header, ...rows]), ...notes.map((note) => `- ${note}`)].join('\n');
}

function renderCells([header = [], ...rows]: string[][]): string {
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Renders the report as a Markdown table. */
export function renderTable(lines: readonly Line[]): string {
  const header = [
    'what',
    'value',
    'ratio to bare HTTP',
    'p50 ms',
    'p99 ms',
    'gateway µs/msg',
    'database µs/msg',
    'note',
  ];
  const rows = lines.map((line) => [
    line.what,
    line.value,
    line.ratio?.toFixed(3) ?? '',
    line.p50Ms?.toFixed(1) ?? '',
    line.p99Ms?.toFixed(1) ?? '',
    line.gatewayUs?.toFixed(0) ?? '',
    line.databaseUs?.toFixed(0) ?? '',
    line.note ?? '',
  ]);
  return renderCells([header, ...rows]);
}

/** Returns the CPU time per message between two samples. */
export function cpuPerMessage(
  before: CpuSeconds,
  after: CpuSeconds,
  count: number,
): Pick<Line, 'gatewayUs' | 'databaseUs'> {
  const each = (part: keyof CpuSeconds) => ((after[part] - before[part]) / count) * 1e6;
  return { gatewayUs: each('gateway'), databaseUs: each('database') };
}

/** Formats `12345.6` as `12,346/s`. */
export function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString('en')}/s`;
}

/** Formats `bytes` as whole megabytes. */
export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
