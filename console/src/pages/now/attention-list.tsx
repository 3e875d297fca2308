import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { organizationsQuery } from '../../api/organizations.ts';
import { may, mayOperate } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import { ConfirmButton } from '../../parts/actions.tsx';
import { ButtonLink } from '../../parts/link.tsx';
import { StateDot, type Tone } from '../../parts/state-dot.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';
import type { Attention } from './overview.ts';

const TONES: Record<string, Tone> = { number_paused: 'warn', endpoint_disabled: 'warn', webhooks_pending: 'warn' };

/** What needs a person: the reason, the way to the page about it, and the call that repairs it. */
export function AttentionList({ entries }: { entries: readonly Attention[] }) {
  const { queue } = useTexts();
  const session = useSession();
  const organizations = useQuery(organizationsQuery);
  if (entries.length === 0) return <StateDot tone="good">{queue.now.attentionNone}</StateDot>;
  return (
    <Stack gap="sm" component="ul" className="plain-list">
      {entries.map((entry) => (
        <Group
          key={`${entry.kind} ${entry.subject}`}
          justify="space-between"
          align="flex-start"
          component="li"
          gap="xs"
        >
          <div>
            <Text size="sm" fw={600} component="div">
              <StateDot tone={TONES[entry.kind] ?? 'bad'}>{queue.now.kinds[entry.kind] ?? entry.kind}</StateDot>
            </Text>
            <Text size="sm">{entry.reason}</Text>
            <Text size="xs" c="dimmed" component="div">
              {organizations.data?.find(({ id }) => id === entry.organization_id)?.name} {entry.subject}
              {entry.since !== null && (
                <>
                  {' · '}
                  <Time at={entry.since} />
                </>
              )}
            </Text>
          </div>
          <Group gap={6}>
            <PageOf entry={entry} />
            {mayOperate(session) && isComplete(entry) && <Repair entry={entry} />}
          </Group>
        </Group>
      ))}
    </Stack>
  );
}

/** Returns true if the repair needs nothing that only a person knows, such as the new token of an account. */
function isComplete({ repair }: Attention): boolean {
  return repair !== null && !/\/(?:wabas|replay)$/.test(repair.path);
}

function Repair({ entry: { repair, organization_id: organization } }: { entry: Attention }) {
  const { queue } = useTexts();
  if (repair === null) return null;
  const { method, path, body } = repair;
  const scope = path.startsWith('/v1') && organization !== null ? { organization } : {};
  return (
    <ConfirmButton
      label={queue.now.repair}
      size="compact-sm"
      question={`${method} ${path}${body === null ? '' : ` ${JSON.stringify(body)}`}`}
      run={() => call(method, path, { ...(body !== null && { body }), ...scope })}
    />
  );
}

function PageOf({ entry: { kind, subject, organization_id } }: { entry: Attention }) {
  const { queue } = useTexts();
  const session = useSession();
  const look = { size: 'compact-sm', variant: 'default', children: queue.now.look } as const;
  const org = organization_id ?? undefined;
  if (/^endpoint/.test(kind) && may(session, 'webhooks'))
    return <ButtonLink to="/webhooks/$id" params={{ id: subject }} search={{ org }} {...look} />;
  if (/^(?:account|number)/.test(kind)) return <ButtonLink to="/numbers" search={{ org }} {...look} />;
  if (kind === 'webhooks_pending') return <ButtonLink to="/journal" {...look} />;
  return null;
}
