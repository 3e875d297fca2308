import type { Queryable } from '../../database/database.ts';
import { requestLooks } from '../follow/poll-queries.ts';
import { lookAt } from '../follow/review-schedule.ts';
import { tellTemplateChanges } from '../follow/tell-template-changes.ts';
import { lockWaba, writeTemplates } from '../queries.ts';
import { getTemplate } from '../records/get-template.ts';
import { doubtComponents, type TemplateRecord, updateEdited } from '../records/record-queries.ts';
import type { TemplateDeps } from '../template-deps.ts';
import { upstreamError } from '../upstream-error.ts';
import { otherFieldsOf, outgoingTemplate, type TemplateEdit } from './template-body.ts';
import { uploadSamples } from './upload-samples.ts';

/** Members of an edit body that are not stored as other fields: those with columns, and those that an edit cannot change. */
const OWN_FIELDS = ['id', 'name', 'language', 'category', 'components', 'parameter_format'];

/**
 * Edits a template upstream, which reviews it again, and stores it as sent. Returns the resulting template. Raises NOT_FOUND,
 * PROVIDER_REJECTED, RATE_LIMITED, and INTERNAL_ERROR for temporary trouble.
 */
export async function editTemplate(
  deps: TemplateDeps,
  organizationId: string,
  id: string,
  edit: TemplateEdit,
): Promise<TemplateRecord> {
  const { accounts, clock, db, upstream } = deps;
  const record = await getTemplate(deps, organizationId, id);
  const { wabaId } = record;
  const waba = { organizationId, wabaId };
  const { token } = await accounts.tokenOf(organizationId, wabaId);
  const handles = await uploadSamples(deps, organizationId, token, edit.samples);
  const editedAtMs = clock.now();
  const edited = await upstream.editTemplate(id, token, outgoingTemplate(edit, handles));
  if (edited.kind !== 'ok') {
    if (edited.kind === 'unavailable' && edited.mayHaveHappened) {
      if (edit.document.value.components !== undefined) await doubtComponents(db, organizationId, id);
      await requestLooks(db, [lookAt({ ...waba, id }, editedAtMs)], editedAtMs);
    }
    throw upstreamError(edited);
  }
  // Some edits leave an approved template in use. Reading its status upstream is better than a guess.
  const readAtMs = clock.now();
  const read = await upstream.getTemplate(id, token);
  const write = async (tx: Queryable) => {
    const change = {
      components: edit.document.rawOf(['components']),
      category: edit.category,
      otherFields: otherFieldsOf(edit.document, OWN_FIELDS),
    };
    await updateEdited(tx, organizationId, record, change, editedAtMs);
    if (read.kind === 'ok') await writeTemplates(tx, waba, [read.value], readAtMs);
  };
  const scopes = [{ ...waba, name: record.name }];
  await db.transaction(async (tx) => {
    await lockWaba(tx, waba);
    await tellTemplateChanges(tx, scopes, editedAtMs, () => write(tx));
  });
  return getTemplate(deps, organizationId, id);
}
