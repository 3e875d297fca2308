import { callGraph, readSuccess } from './graph/call-graph.ts';
import type { CallResult } from './graph/call-result.ts';
import { type GraphClient, nodePath } from './graph/graph-client.ts';
import { idField, textField } from './graph/json-fields.ts';

/** A template as the platform created it. Its category may differ from the requested one. */
export interface CreatedTemplate {
  id: string;
  status: string;
  category: string | null;
}

/** Selects templates to delete: a name in all languages, a name in the language of template `id`, or up to 100 ids. */
export type TemplateSelection = { name: string; id?: string } | { ids: string[] };

const json = ['content-type', 'application/json'];

/** Creates a template from `body`, the JSON to send byte for byte (api-rules#templates). */
export function createTemplate(
  client: GraphClient,
  wabaId: string,
  token: string,
  body: string,
): Promise<CallResult<CreatedTemplate>> {
  return callGraph(client, {
    name: 'createTemplate',
    method: 'POST',
    objectId: wabaId,
    path: nodePath(wabaId, 'message_templates'),
    token,
    headers: json,
    body,
    read: (answer) => {
      const id = idField(answer, 'id');
      if (id === null) return null;
      return { id, status: textField(answer, 'status') ?? 'PENDING', category: textField(answer, 'category') };
    },
  });
}

/** Replaces the parts of a template that `body` names. The platform then reviews the template again. */
export function editTemplate(
  client: GraphClient,
  templateId: string,
  token: string,
  body: string,
): Promise<CallResult<true>> {
  return callGraph(client, {
    name: 'editTemplate',
    method: 'POST',
    objectId: templateId,
    path: nodePath(templateId),
    token,
    headers: json,
    body,
    read: readSuccess,
  });
}

/** Deletes templates. The platform keeps a deleted name locked for 30 days. */
export function deleteTemplates(
  client: GraphClient,
  wabaId: string,
  token: string,
  selection: TemplateSelection,
): Promise<CallResult<true>> {
  return callGraph(client, {
    name: 'deleteTemplates',
    method: 'DELETE',
    objectId: wabaId,
    path: nodePath(wabaId, 'message_templates'),
    query: selectionQuery(selection),
    token,
    read: readSuccess,
  });
}

function selectionQuery(selection: TemplateSelection): Record<string, string> {
  if ('ids' in selection) return { hsm_ids: JSON.stringify(selection.ids) };
  const { name, id } = selection;
  return id === undefined ? { name } : { name, hsm_id: id };
}
