import { KEYS } from '../../../src/templates/queries.ts';
import { text } from '../columns.ts';
import { reading, type Session, type StatementModel } from '../model-store.ts';
import { type OrganizationRow, type TemplateRow, templateKey, type WabaRow } from '../tables.ts';

const templateLock = (key: string) => `template/${key}`;
const organizationLock = (id: string) => `organization/${id}`;
const dateOf = (atMs: number | null | undefined) => (atMs == null ? null : new Date(atMs));

const listVersions = reading(({ tables }, values) =>
  KEYS.parse(values).flatMap((key, index) => {
    const row = tables.templates.get(templateKey(text(key.organization_id), text(key.waba_id), text(key.name)));
    if (row === undefined) return [];
    const { category, marketingRefused: isMarketingRefused } = row;
    return [
      { ord: index + 1, language: 'en', status: 'APPROVED', category, ttlSeconds: ttlOf(row), isMarketingRefused },
    ];
  }),
);

/** Returns the time to live that a template states; one of codes does. */
function ttlOf({ name }: TemplateRow): string | null {
  return name === 'authentication' ? '60' : null;
}

const readFacts = reading(({ tables }, values) => {
  const number = tables.numbers.get(Number(values[1]));
  const organization = tables.organizations.get(text(values[0]));
  if (number === undefined || organization === undefined || number.organizationId !== organization.id) return [];
  const found = tables.wabas.get(number.wabaId);
  const waba = found?.organizationId === organization.id ? found : undefined;
  const version = waba && tables.templates.get(templateKey(organization.id, waba.wabaId, text(values[2])));
  const changes = [organization.marketingChangedAtMs, waba?.marketingChangedAtMs].filter((atMs) => atMs != null);
  return [
    {
      setting: waba?.marketingMessages ?? organization.marketingMessages,
      ready: waba !== undefined && (waba.isOnboarded || waba.marketingForbidden),
      account_changed_at: changes.length === 0 ? null : new Date(Math.max(...changes)),
      category: version?.category ?? null,
      refused: version?.marketingRefused ?? null,
      version_changed_at: dateOf(version?.marketingChangedAtMs),
    },
  ];
});

function* changeTemplate(
  session: Session,
  key: string,
  change: (row: TemplateRow) => Partial<TemplateRow> | undefined,
) {
  yield [templateLock(key)];
  const row = session.tables.templates.get(key);
  const changed = row && change(row);
  if (row === undefined || changed === undefined) return [];
  session.write(() => session.tables.templates.set(key, { ...row, ...changed, marketingChangedAtMs: session.nowMs }));
  return [{}];
}

const refuseMarketing: StatementModel = function* refuseMarketing(session, values) {
  const key = templateKey(text(values[0]), text(values[1]), text(values[2]));
  return yield* changeTemplate(session, key, (row) => (row.marketingRefused ? undefined : { marketingRefused: true }));
};

/** The effect of a webhook about the completed category of a template. */
const changeCategory: StatementModel = function* changeCategory(session, values) {
  const [key, category] = [text(values[0]), text(values[1])];
  const changed = yield* changeTemplate(session, key, (row) =>
    row.category === category ? undefined : { category, marketingRefused: false },
  );
  const { changes } = session.tables;
  if (changed.length > 0) session.write(() => changes.set(changes.size, { topic: 'template', key }));
  return changed;
};

/** The effect of an admin API call on the setting of an organization. */
const changeOrganization: StatementModel = function* changeOrganization(session, values) {
  const id = text(values[0]);
  const marketingMessages = values[1] as OrganizationRow['marketingMessages'];
  const { changes, organizations } = session.tables;
  yield [organizationLock(id)];
  const row = organizations.get(id);
  if (row === undefined || row.marketingMessages === marketingMessages) return [];
  session.write(() => {
    organizations.set(id, { ...row, marketingMessages, marketingChangedAtMs: session.nowMs });
    changes.set(changes.size, { topic: 'organization', key: id });
  });
  return [{}];
};

/** Returns the change of an account, with its time if it changes the account's use. */
export function marketingChange(row: WabaRow, change: Partial<WabaRow>, nowMs: number): Partial<WabaRow> {
  const next = { ...row, ...change };
  const isReady = (waba: WabaRow) => waba.isOnboarded || waba.marketingForbidden;
  const isSame = isReady(next) === isReady(row) && next.marketingMessages === row.marketingMessages;
  return isSame ? change : { ...change, marketingChangedAtMs: nowMs };
}

export const marketingStatements: Record<string, StatementModel> = {
  template_list_versions: listVersions,
  road_read_facts: readFacts,
  template_refuse_marketing: refuseMarketing,
  told_category: changeCategory,
  admin_change_organization: changeOrganization,
};
