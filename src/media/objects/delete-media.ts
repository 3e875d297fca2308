import { deleteMediaRow } from '../queries.ts';
import { type FindDeps, findMedia, isUnknown, type MediaSelector, mediaErrorOf } from './find-media.ts';

/**
 * Deletes a media object of the organization upstream and removes its id here. Looks it up first, because only that proves its owner.
 * Raises the errors of `findMedia`.
 */
export async function deleteMedia(deps: FindDeps, selector: MediaSelector): Promise<void> {
  const { organizationId, mediaId } = selector;
  const { token, phoneNumberId } = await findMedia(deps, selector);
  const result = await deps.upstream.deleteMedia(mediaId, token, phoneNumberId);
  if (result.kind === 'ok' || isUnknown(result)) await deleteMediaRow(deps.db, organizationId, mediaId);
  if (result.kind !== 'ok') throw mediaErrorOf(result);
}
