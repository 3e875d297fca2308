import { Paper, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Large figures with their labels. */
export function Figures({
  figures,
}: {
  figures: readonly (readonly [label: string, value: ReactNode, note?: ReactNode])[];
}) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: figures.length }} spacing="sm">
      {figures.map(([label, value, note]) => (
        <Paper key={label} withBorder p="sm">
          <Text size="xs" c="dimmed">
            {label}
          </Text>
          <Text fz={24} fw={650} lh={1.3}>
            {value}
          </Text>
          {note !== undefined && (
            <Text size="xs" c="dimmed" component="div">
              {note}
            </Text>
          )}
        </Paper>
      ))}
    </SimpleGrid>
  );
}
