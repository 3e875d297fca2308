import { AppError } from '../../core/errors.ts';
import type { Queryable } from '../../database/database.ts';
import type { CallResult, CreatedTemplate, Upstream } from '../../upstream/index.ts';
import { tellTemplateChanges } from '../follow/tell-template-changes.ts';
import { isLeaving } from '../follow/template-doubles.ts';
import { listVersions, lockWaba, storeTemplates, templateKey } from '../queries.ts';
import { fingerprintComponents } from '../records/component-fingerprint.ts';
import { getWaba } from '../records/get-template.ts';
import { findSentComponents, findTemplate, insertCreated } from '../records/record-queries.ts';
import type { TemplateDeps } from '../template-deps.ts';
import { upstreamError } from '../upstream-error.ts';
import type { WabaRef } from '../waba-ref.ts';
import { otherFieldsOf, outgoingTemplate, type TemplateBody } from './template-body.ts';
import { uploadSamples } from './upload-samples.ts';

/** The upstream's answer to a new template (api-rules#templates). */
export interface CreateAnswer {
  id: string;
  status: string;
  category: string;
}

/** The upstream's subcode for a duplicate name and language. */
const IS_THERE_ALREADY = 2388024;

/** The members of a create body that have columns of their own. */
const OWN_FIELDS = ['name', 'language', 'category', 'components', 'parameter_format'];

/**
 * Creates a template upstream and stores it as sent (api-rules#templates). Raises NOT_FOUND for another organization's WABA,
 * ACCOUNT_NOT_REGISTERED, PROVIDER_REJECTED, RATE_LIMITED, and INTERNAL_ERROR for temporary trouble.
 */
export async function createTemplate(
  deps: TemplateDeps,
  organizationId: string,
  wabaId: string,
  body: TemplateBody,
): Promise<CreateAnswer> {
  const { accounts, clock, db, upstream } = deps;
  const { hasRegisteredNumber } = await getWaba(deps, organizationId, wabaId);
  if (!hasRegisteredNumber) {
    throw new AppError('ACCOUNT_NOT_REGISTERED', 'The business account has no active, registered number.');
  }
  const { token } = await accounts.tokenOf(organizationId, wabaId);
  const handles = await uploadSamples(deps, organizationId, token, body.samples);
  const startedAtMs = clock.now();
  const answer = await upstream.createTemplate(wabaId, token, outgoingTemplate(body, handles));
  const created = await settleCreate(deps, { organizationId, wabaId, token, body, startedAtMs }, answer);
  const { id, status } = created;
  const category = created.category ?? body.category;
  const { name, language, document } = body;
  const { components, parameterFormat } = await componentsOf(deps, { id, token, body });
  const otherFields = otherFieldsOf(document, OWN_FIELDS);
  const record = { id, wabaId, name, language, category, status, parameterFormat, components, otherFields };
  const scopes = [{ organizationId, wabaId, name }];
  const nowMs = clock.now();
  await db.transaction(async (tx) => {
    await lockWaba(tx, { organizationId, wabaId });
    if (answer.kind !== 'ok' && (await isOfAnotherCall(tx, organizationId, record))) throw upstreamError(answer);
    await tellTemplateChanges(tx, scopes, nowMs, () => insertCreated(tx, organizationId, record, nowMs));
  });
  return { id, status, category };
}

/** Returns the components as sent. A template of the platform's library is sent without any, so they are read at the platform. */
async function componentsOf(
  { upstream }: Pick<TemplateDeps, 'upstream'>,
  { id, token, body: { document, parameterFormat } }: { id: string; token: string; body: TemplateBody },
): Promise<{ components: string; parameterFormat: string }> {
  const sent = document.rawOf(['components']);
  if (sent !== undefined) return { components: sent, parameterFormat };
  const read = await upstream.getTemplate(id, token);
  if (read.kind !== 'ok') return { components: '[]', parameterFormat };
  return { components: read.value.components, parameterFormat: read.value.parameterFormat ?? parameterFormat };
}

type CreateDeps = Pick<TemplateDeps, 'clock' | 'db'> & { upstream: Pick<Upstream, 'findTemplatesByName'> };

interface Creation extends WabaRef {
  token: string;
  body: TemplateBody;
  startedAtMs: number;
}

/**
 * Returns the created template, or throws the failure. The upstream promises no idempotency: if its answer is lost, the template is looked
 * up. Without this, a retry would fail with a duplicate. A template stored before the call is another one, and so is one that another call
 * stored since with other components (`isOfAnotherCall`). A template that another call created but has not stored yet is mistaken for this
 * call's, until that call stores it. A duplicate that is unknown here is read and stored.
 */
async function settleCreate(
  deps: CreateDeps,
  { organizationId, wabaId, token, body, startedAtMs }: Creation,
  answer: CallResult<CreatedTemplate>,
): Promise<CreatedTemplate> {
  if (answer.kind === 'ok') return answer.value;
  if (answer.kind === 'unavailable' && answer.mayHaveHappened) {
    const found = await deps.upstream.findTemplatesByName(wabaId, token, body.name);
    const versions = found.kind === 'ok' ? found.value : [];
    const made = versions.find((template) => template.language === body.language && !isLeaving(template));
    const stored = made && (await findTemplate(deps.db, organizationId, made.id));
    if (made !== undefined && (stored === undefined || stored.createdAt.getTime() >= startedAtMs)) return made;
  }
  if (answer.kind === 'rejected' && answer.subcode === IS_THERE_ALREADY) {
    await learnVersions(deps, { organizationId, wabaId, token, body });
  }
  throw upstreamError(answer);
}

/** True if another call stored the found template, with components other than this call's. The caller holds `lockWaba`. */
async function isOfAnotherCall(
  tx: Queryable,
  organizationId: string,
  { id, components }: { id: string; components: string },
): Promise<boolean> {
  const sent = await findSentComponents(tx, organizationId, id);
  return sent !== undefined && fingerprintComponents(sent) !== fingerprintComponents(components);
}

/**
 * Stores the upstream's templates under the name, unless they are known. If they cannot be read, later readings and webhooks bring them.
 */
async function learnVersions(
  { clock, db, upstream }: CreateDeps,
  { organizationId, wabaId, token, body }: Omit<Creation, 'startedAtMs'>,
): Promise<void> {
  const key = templateKey(organizationId, wabaId, body.name);
  const known = (await listVersions(db, [key])).get(key) ?? [];
  if (known.some(({ language }) => language === body.language)) return;
  const readAtMs = clock.now();
  const found = await upstream.findTemplatesByName(wabaId, token, body.name);
  if (found.kind !== 'ok') return;
  await db.transaction((tx) => storeTemplates(tx, { organizationId, wabaId }, found.value, readAtMs));
}
