import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../../api/session-context.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { Copy, JsonBlock } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';

/** The body of a message byte for byte. It is read when the reader opens it. */
export function RawBody({ id, isOutbound }: { id: string; isOutbound: boolean }) {
  const { messages } = useTexts();
  const text = messages.one;
  const api = useApi();
  const organization = useOrganization();
  const isMasked = useSession().role === 'support';
  const [isOpen, setIsOpen] = useState(false);
  const query = useQuery({
    queryKey: ['body', organization, id],
    enabled: isOpen && organization !== undefined,
    queryFn: ({ signal }) => api.text(`/v1/messages/${encodeURIComponent(id)}/body`, signal),
  });
  const title = isOutbound ? text.rawSent : text.rawReceived;
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <Text size="sm" span>
          {title}
        </Text>
      </summary>
      {isOpen && (
        <Loaded query={query} rows={2}>
          {(body) =>
            body === '{}' ? (
              <Text size="sm">{text.erased}</Text>
            ) : (
              <>
                <Group justify="space-between" gap="xs" my={4}>
                  <Text size="xs" c="dimmed">
                    {isMasked ? text.masked : text.rawHint}
                  </Text>
                  <Copy value={body} label={title} />
                </Group>
                <JsonBlock label={title} value={body} />
              </>
            )
          }
        </Loaded>
      )}
    </details>
  );
}
