import { Button, Group, Table, Text } from '@mantine/core';
import { Fragment, type ReactNode, useState } from 'react';
import { useTexts } from '../preferences/preferences.tsx';
import { useFilters } from './filters.ts';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** True if phones show the table without it. */
  isWide?: boolean;
  /** True for buttons: phones show them below the row. */
  isAction?: boolean;
  align?: 'right';
  width?: number | string;
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

/** A table of rows; phones leave out its wide columns. */
export function DataTable<Row>({ label, columns, rows, keyOf }: DataTableProps<Row>) {
  const actions = columns.find(({ isAction }) => isAction);
  return (
    <Table aria-label={label} highlightOnHover verticalSpacing={6} horizontalSpacing="xs" className="data-table">
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ title, isWide, isAction, align, width }) => (
            <Table.Th key={title} ta={align} w={width} visibleFrom={isWide || isAction ? 'sm' : undefined} scope="col">
              {title}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Fragment key={keyOf(row)}>
            <Table.Tr>
              {columns.map(({ title, cell, isWide, isAction, align }) => (
                <Table.Td key={title} ta={align} visibleFrom={isWide || isAction ? 'sm' : undefined}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
            {actions !== undefined && (
              <Table.Tr hiddenFrom="sm">
                <Table.Td colSpan={columns.length}>{actions.cell(row)}</Table.Td>
              </Table.Tr>
            )}
          </Fragment>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/**
 * Draws the beginning of a list that is read whole, with a button for more. Without this, a page of hundreds of rows is slow to redraw.
 * `step` is the number of rows at first, and of those that the button adds.
 */
export function Beginning<Row>({
  rows,
  step,
  children,
}: {
  rows: readonly Row[];
  step: number;
  children: (shown: Row[]) => ReactNode;
}) {
  const { shell } = useTexts();
  const [count, setCount] = useState(step);
  return (
    <>
      {children(rows.slice(0, count))}
      {rows.length > count && (
        <Group mt="xs">
          <Button variant="default" size="xs" onClick={() => setCount(count + step)}>
            {shell.moreOf(count, rows.length)}
          </Button>
        </Group>
      )}
    </>
  );
}

/** The way to the next page of a list, whose cursor is in the address. */
export function Paging({ next }: { next: string | null | undefined }) {
  const { shell } = useTexts();
  const { filters, setFilters } = useFilters();
  const { after } = filters;
  if (!after && !next) return null;
  return (
    <Group justify="space-between">
      {after ? (
        <Button variant="default" size="xs" onClick={() => setFilters({ after: undefined })}>
          {shell.firstPage}
        </Button>
      ) : (
        <span />
      )}
      {next ? (
        <Button variant="default" size="xs" onClick={() => setFilters({ after: next })}>
          {shell.nextPage}
        </Button>
      ) : (
        <Text size="sm" c="dimmed">
          {shell.pageEnd}
        </Text>
      )}
    </Group>
  );
}
