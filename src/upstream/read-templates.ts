import { type JsonDocument, object, readJsonDocument } from '../core/json/index.ts';
import { callGraph } from './graph/call-graph.ts';
import { type CallResult, unavailable } from './graph/call-result.ts';
import { type GraphClient, nodePath } from './graph/graph-client.ts';
import { asObject, idField, type JsonObject, objectField, ownField, textField } from './graph/json-fields.ts';
import { collectPages, type ListCall, listPages } from './graph/list-pages.ts';

/** A template as the platform reports it, in its own words; null where it reports nothing. */
export interface UpstreamTemplate {
  id: string;
  name: string;
  language: string;
  category: string;
  status: string;
  parameterFormat: string | null;
  rejectedReason: string | null;
  qualityScore: string | null;
  /** The components, as the JSON text the platform wrote. */
  components: string;
  /** Every other field and the whole of the quality, as JSON text: one object whose values stand as the platform wrote them. */
  otherFields: string;
}

/** A send waits for it, and whoever sends waits for the send. */
const lookupTimeoutMs = 10_000;

/** A template in a listing: whole, or just known to be there, where the platform leaves out what no template can be without. */
export type ListedTemplate = UpstreamTemplate | { id: string | null; name: null };

const ownColumns = [
  'id',
  'name',
  'language',
  'category',
  'status',
  'parameter_format',
  'rejected_reason',
  'quality_score',
  'components',
];

const fields = [
  ...ownColumns,
  'previous_category',
  'correct_category',
  'sub_category',
  'message_send_ttl_seconds',
  'last_updated_time',
  'cta_url_link_tracking_opted_out',
  'library_template_name',
  'display_format',
  'is_primary_device_delivery_only',
].join(',');

/** Every template of a business account, page by page; ends after the last page or with the failure that stopped it. */
export function listTemplates(
  client: GraphClient,
  wabaId: string,
  token: string,
): AsyncGenerator<CallResult<ListedTemplate[]>, void> {
  return listPages(client, listCall('listTemplates', wabaId, token));
}

/** The templates called exactly `name`, one for each language. Gives up sooner than other calls. */
export async function findTemplatesByName(
  client: GraphClient,
  wabaId: string,
  token: string,
  name: string,
): Promise<CallResult<UpstreamTemplate[]>> {
  const call = listCall('findTemplatesByName', wabaId, token, { name });
  const found = await collectPages(client, { ...call, timeoutMs: lookupTimeoutMs });
  if (found.kind !== 'ok') return found;
  const whole = found.value.filter((template) => template.name !== null);
  if (whole.length < found.value.length) return unavailable('unreadable_answer', { mayHaveHappened: false });
  // The platform's filter may match parts of names.
  return { kind: 'ok', value: whole.filter((template) => template.name === name) };
}

/** One template. An unknown one is `rejected`. */
export function getTemplate(
  client: GraphClient,
  templateId: string,
  token: string,
): Promise<CallResult<UpstreamTemplate>> {
  return callGraph(client, {
    name: 'getTemplate',
    method: 'GET',
    objectId: templateId,
    path: nodePath(templateId),
    query: { fields },
    token,
    read: (answer, body) => {
      const document = findDocument(body);
      return document === null ? null : readTemplate(document, answer, []);
    },
  });
}

/** What the platform counts of a business account's templates: of the fields `summary` names what it tells, as the JSON text it wrote. */
export function summarizeTemplates(
  client: GraphClient,
  wabaId: string,
  token: string,
  summary: string,
): Promise<CallResult<string>> {
  return callGraph(client, {
    name: 'summarizeTemplates',
    method: 'GET',
    objectId: wabaId,
    path: nodePath(wabaId, 'message_templates'),
    query: { fields: 'id', limit: '1', summary },
    token,
    read: (answer, body) =>
      objectField(answer, 'summary') === null ? '{}' : (findDocument(body)?.rawOf(['summary']) ?? null),
  });
}

function listCall(
  name: string,
  wabaId: string,
  token: string,
  filter: Record<string, string> = {},
): ListCall<ListedTemplate> {
  return {
    name,
    method: 'GET',
    objectId: wabaId,
    path: nodePath(wabaId, 'message_templates'),
    query: { fields, limit: '100', ...filter },
    token,
    read: readTemplatePage,
  };
}

function readTemplatePage(answer: JsonObject, body: Buffer): ListedTemplate[] | null {
  const nodes = ownField(answer, 'data');
  const document = findDocument(body);
  if (!Array.isArray(nodes) || document === null) return null;
  return nodes.map((value: unknown, position) => {
    const node = asObject(value) ?? {};
    return readTemplate(document, node, ['data', position]) ?? { id: idField(node, 'id'), name: null };
  });
}

/** Null for JSON that nests deeper or repeats keys in ways the platform never does. */
function findDocument(body: Buffer): JsonDocument | null {
  try {
    return readJsonDocument(body);
  } catch {
    return null;
  }
}

function readTemplate(document: JsonDocument, node: JsonObject, path: (string | number)[]): UpstreamTemplate | null {
  const id = idField(node, 'id');
  const name = textField(node, 'name');
  const language = textField(node, 'language');
  const category = textField(node, 'category');
  const status = textField(node, 'status');
  if (id === null || name === null || language === null || category === null || status === null) return null;
  const quality = objectField(node, 'quality_score');
  const others = Object.keys(node).filter(
    (key) => !ownColumns.includes(key) || (key === 'quality_score' && quality !== null),
  );
  return {
    id,
    name,
    language,
    category,
    status,
    parameterFormat: textField(node, 'parameter_format'),
    rejectedReason: textField(node, 'rejected_reason'),
    qualityScore: quality === null ? textField(node, 'quality_score') : textField(quality, 'score'),
    components: document.rawOf([...path, 'components']) ?? '[]',
    otherFields: object(others.map((key) => [key, document.rawOf([...path, key])])),
  };
}
