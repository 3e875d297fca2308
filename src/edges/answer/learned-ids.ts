import { membersOf, readStoredJson } from '../../core/json/index.ts';

/** Ids of the platform's objects. Group ids are Base64. */
export const OBJECT_ID = /^[0-9A-Za-z_=-]{1,128}$/;

/** Most ids that one answer brings. */
const IDS_MAX = 5_000;

/** Returns the ids of the objects in an answer: of a list (`data`, or `data.groups`), or the `id` of a new object. */
export function learnedIds(answer: Buffer): string[] {
  const { data, id } = membersIn(answer);
  const { groups } = membersOf(data);
  const listed = Array.isArray(data) ? data : Array.isArray(groups) ? groups : [];
  const ids = [id, ...listed.map((item) => membersOf(item).id)];
  return ids.filter((one): one is string => typeof one === 'string' && OBJECT_ID.test(one)).slice(0, IDS_MAX);
}

/** Returns the cursor of the next page; undefined on the last one. */
export function nextCursorOf(answer: Buffer): string | undefined {
  const { paging } = membersIn(answer);
  const { next, cursors } = membersOf(paging);
  const { after } = membersOf(cursors);
  return typeof next === 'string' && typeof after === 'string' ? after : undefined;
}

function membersIn(answer: Buffer): Readonly<Record<string, unknown>> {
  try {
    return readStoredJson(answer.toString('utf8')).value;
  } catch {
    // The platform answered with something else than a JSON object.
    return {};
  }
}
