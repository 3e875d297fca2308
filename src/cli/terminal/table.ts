import { type Style, styled } from './output.ts';
import { safeText } from './safe-text.ts';

const GAP = 2;
const SHRUNK_WIDTH_MIN = 8;

/** One column of a table. */
export interface Column<Row> {
  title: string;
  /** Text of a cell; null shows `-`. */
  text: (row: Row) => string | number | null | undefined;
  style?: (row: Row) => Style;
  /** True if its text may be wrapped to fit the terminal. */
  wraps?: boolean;
}

/** Renders rows as a table without borders that fits the terminal. Cells are data: their control characters become harmless. */
export async function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Promise<string> {
  // Both are loaded when they are needed: most commands show no table.
  const [{ table, getBorderCharacters }, { default: stringWidth }] = await Promise.all([
    import('table'),
    import('string-width'),
  ]);
  const texts = rows.map((row) => columns.map(({ text }) => safeText(String(text(row) ?? '-'))));
  const widths = columns.map(({ title }, at) =>
    Math.max(stringWidth(title), ...texts.map((cells) => stringWidth(cells[at] ?? ''))),
  );
  const fitted = fitWidths(widths, columns);
  const body = rows.map((row, at) =>
    columns.map(({ style }, column) => {
      const text = texts[at]?.[column] ?? '';
      return style === undefined ? text : styled(style(row), text);
    }),
  );
  const rendered = table([columns.map(({ title }) => styled('bold', title)), ...body], {
    border: getBorderCharacters('void'),
    columnDefault: { paddingLeft: 0, paddingRight: GAP },
    columns: fitted.map((width) => ({ width })),
    drawHorizontalLine: () => false,
  });
  return rendered.replace(/ +$/gm, '').trimEnd();
}

/** Renders names and values, one pair a line. */
export function renderFields(
  fields: readonly (readonly [name: string, value: string | number | null | undefined])[],
): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${styled('dim', name.padEnd(width))}  ${safeText(String(value ?? '-'))}`)
    .join('\n');
}

/** Narrows the widest columns that may wrap until the table fits the terminal. */
function fitWidths<Row>(natural: readonly number[], columns: readonly Column<Row>[]): number[] {
  const widths = natural.map((width) => Math.max(1, width));
  const available = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
  const gaps = GAP * widths.length;
  for (;;) {
    const wraps = widths.map((width, at) => (columns[at]?.wraps === true && width > SHRUNK_WIDTH_MIN ? width : 0));
    const widest = Math.max(...wraps);
    const total = widths.reduce((sum, width) => sum + width, gaps);
    if (total <= available || widest === 0) return widths;
    widths[wraps.indexOf(widest)] = Math.max(SHRUNK_WIDTH_MIN, widest - (total - available));
  }
}
