import { Button, Group, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../preferences/preferences.tsx';
import { useFilters } from './filters.ts';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** True if phones show the table without it. */
  isWide?: boolean;
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
  return (
    <Table aria-label={label} highlightOnHover verticalSpacing={6} horizontalSpacing="xs" className="data-table">
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ title, isWide, align, width }) => (
            <Table.Th key={title} ta={align} w={width} visibleFrom={isWide ? 'sm' : undefined} scope="col">
              {title}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={keyOf(row)}>
            {columns.map(({ title, cell, isWide, align }) => (
              <Table.Td key={title} ta={align} visibleFrom={isWide ? 'sm' : undefined}>
                {cell(row)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
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
