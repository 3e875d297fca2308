import type { Cli } from '../../cli.ts';
import { renderFields } from '../../terminal/table.ts';
import type { ListedNumber } from '../wabas/waba.ts';

interface SendingNumber extends ListedNumber {
  organization_id: string;
  waba_id: string;
  verified_name: string | null;
  status: string | null;
  quality_rating: string | null;
  messages_per_second: number;
}

/** Changes a number and shows the result. Takes effect on every node within a second. */
export async function changeNumber(
  cli: Cli,
  id: string,
  change: { paused?: boolean; messages_per_second?: number | null },
): Promise<void> {
  const path = `/admin/v1/numbers/${encodeURIComponent(id)}`;
  const number = await (await cli.operator()).request<SendingNumber>('PATCH', path, { body: change });
  await cli.out.result(number, () =>
    renderFields([
      ['id', number.phone_number_id],
      ['number', `+${number.phone_number}`],
      ['name', number.verified_name],
      ['state', stateOf(number)],
      ['messages/s', number.messages_per_second],
      ['quality', number.quality_rating],
      ['waba', number.waba_id],
      ['tenant', number.organization_id],
    ]),
  );
}

/** Describes in words if a number sends. */
export function stateOf({ paused, parked, registered }: ListedNumber): string {
  if (paused) return 'paused';
  if (parked !== null) return `parked: ${parked.reason}`;
  return registered ? 'sends' : 'not registered';
}
