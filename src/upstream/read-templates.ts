import { type JsonDocument, object, readJsonDocument } from '../core/json/index.ts';
import { callGraph } from './graph/call-graph.ts';
import { type CallResult, unavailable } from './graph/call-result.ts';
import { type GraphClient, nodePath } from './graph/graph-client.ts';
import { asObject, idField, type JsonObject, objectField, ownField, textField } from './graph/json-fields.ts';
import { collectPages, type ListCall, listPages } from './graph/list-pages.ts';

/** A template as the platform reports it, in its own words; null for missing fields. */
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
  /** All other fields and the whole quality object, as one JSON object whose values keep the platform's spelling. */
  otherFields: string;
}

/** Milliseconds. Kept short because a send, and its client, wait for the lookup. */
const lookupTimeoutMs = 10_000;

/** A template in a listing. `name` is null if the platform leaves out a field that every template must have. */
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

/** Yields every template of a business account, page by page. Ends after the last page or with the failure that stopped it. */
export function listTemplates(
  client: GraphClient,
  wabaId: string,
  token: string,
): AsyncGenerator<CallResult<ListedTemplate[]>, void> {
  return listPages(client, listCall('listTemplates', wabaId, token));
}

/** Returns the templates named exactly `name`, one per language. Times out sooner than other calls. */
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

/** Reads one template. An unknown one is `rejected`. */
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

/** Returns the platform's counts of a business account's templates: the fields that `summary` names, as the platform's JSON text. */
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

/** Parses the body with its spelling kept; null if the JSON nests too deep or repeats keys, which the platform never does. */
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
