import { object, quoted } from '../core/json/index.ts';
import type { Queryable } from '../database/database.ts';
import { listMessages, renderMessage } from '../messages/index.ts';
import { listOptOuts, renderOptOut } from '../opt-outs/index.ts';
import { findPerson } from './person.ts';
import { listWindows } from './person-queries.ts';

const MESSAGES_PER_PAGE = 200;
/** More numbers than an organization has: a person has at most one opt-out from each. */
const OPT_OUTS_MAX = 10_000;

/**
 * Returns a page of the data that is stored about a person, as JSON text: names, windows and opt-outs, and messages newest first with `next` as the
 * cursor of the next page. Raises VALIDATION_ERROR.
 */
export async function exportPerson(
  db: Queryable,
  organizationId: string,
  text: string,
  after: string | undefined,
): Promise<string> {
  const { names, phoneNumbers, userIds, keys } = await findPerson(db, organizationId, text);
  const [name = ''] = names;
  const windows = await listWindows(db, organizationId, keys);
  const search = { phoneNumberIds: undefined, people: keys, before: undefined, limit: OPT_OUTS_MAX };
  const optOuts = await listOptOuts(db, organizationId, search);
  const { rows, next } = await listMessages(
    db,
    organizationId,
    {
      after: after?.toLowerCase(),
      recipient: phoneNumbers.includes(name) ? name : undefined,
      userId: phoneNumbers.includes(name) ? undefined : name,
      limit: MESSAGES_PER_PAGE,
      status: undefined,
      type: undefined,
      template: undefined,
      direction: undefined,
      fromMs: undefined,
      toMs: undefined,
      errorCode: undefined,
      wamid: undefined,
      callbackData: undefined,
    },
    undefined,
  );
  return object([
    ['phone_numbers', JSON.stringify(phoneNumbers)],
    ['user_ids', JSON.stringify(userIds)],
    ['windows', JSON.stringify(windows)],
    ['opt_outs', JSON.stringify(optOuts.map(renderOptOut))],
    ['messages', `[${rows.map(renderMessage).join(',')}]`],
    ['next', next === undefined ? 'null' : quoted(next)],
  ]);
}
