import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { AnswerOf } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { saveFile } from '../../parts/save-file.ts';
import { FailureNote } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';

const PAGE = 200;
/** Most rows of a file, because the browser holds it whole. */
const ROWS_MAX = 20_000;

/** Reads the found changes page by page, and offers them as a file with one JSON object a line. */
export function AuditExport({ path, search }: { path: string; search: Record<string, string | undefined> }) {
  const { governance } = useTexts();
  const text = governance.audit;
  const api = useApi();
  const [count, setCount] = useState(0);
  const save = useMutation({
    mutationFn: async () => {
      const lines: string[] = [];
      let after: string | undefined;
      do {
        const page = await api.get<AnswerOf<'listAudit'>>(path, { ...search, limit: PAGE, after });
        lines.push(...page.data.map((change) => JSON.stringify(change)));
        after = page.next ?? undefined;
        setCount(lines.length);
      } while (after !== undefined && lines.length < ROWS_MAX);
      saveFile('audit.ndjson', `${lines.join('\n')}\n`, 'application/x-ndjson');
      return { isCut: after !== undefined, rows: lines.length };
    },
  });
  return (
    <Group gap="xs" justify="flex-end">
      {save.isPending && (
        <Text size="xs" role="status">
          {text.exporting(count)}
        </Text>
      )}
      {save.data?.isCut && (
        <Text size="xs" role="status">
          {text.exportCut(save.data.rows)}
        </Text>
      )}
      <Button size="xs" variant="default" loading={save.isPending} onClick={() => save.mutate()}>
        {text.export}
      </Button>
      {save.isError && <FailureNote error={save.error} title={text.export} />}
    </Group>
  );
}
