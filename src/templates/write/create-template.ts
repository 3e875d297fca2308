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

/** What the upstream made of a new template (api-rules#templates). */
export interface CreateAnswer {
  id: string;
  status: string;
  category: string;
}

/** The upstream's subcode for a name that has this language already. */
const IS_THERE_ALREADY = 2388024;

/** The members of a create body that have columns of their own. */
const OWN_FIELDS = ['name', 'language', 'category', 'components', 'parameter_format'];

/**
 * Creates a template upstream and stores it as sent (api-rules#templates). Raises NOT_FOUND for a WABA that is not the organization's,
 * ACCOUNT_NOT_REGISTERED, PROVIDER_REJECTED, RATE_LIMITED, and INTERNAL_ERROR for trouble that may pass.
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
  const { name, language, parameterFormat, document } = body;
  const components = document.rawOf(['components']) ?? '[]';
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

type CreateDeps = Pick<TemplateDeps, 'clock' | 'db'> & { upstream: Pick<Upstream, 'findTemplatesByName'> };

interface Creation extends WabaRef {
  token: string;
  body: TemplateBody;
  startedAtMs: number;
}

/**
 * The created template, or what kept it from being created. The upstream promises no idempotence: when its answer is lost, the
 * template is looked up, so that a retry does not meet it as a duplicate. One that was stored before the call is not it, nor one that
 * another call has stored since with other components (`isOfAnotherCall`); one that another call made and has yet to store is taken
 * for it, until that call stores what it sent. When it meets a duplicate nobody here knows, that becomes known.
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

/** Whether a template that was looked up is stored as another call has sent it, not as this one did. The caller holds `lockWaba`. */
async function isOfAnotherCall(
  tx: Queryable,
  organizationId: string,
  { id, components }: { id: string; components: string },
): Promise<boolean> {
  const sent = await findSentComponents(tx, organizationId, id);
  return sent !== undefined && fingerprintComponents(sent) !== fingerprintComponents(components);
}

/** Stores what the upstream has under the name, unless it is known; when that cannot be read, readings and webhooks follow. */
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
