import { callGraph } from './graph/call-graph.ts';
import { type CallResult, unavailable } from './graph/call-result.ts';
import { type GraphClient, nodePath } from './graph/graph-client.ts';
import { idField, textField } from './graph/json-fields.ts';
import type { UpstreamFile } from './upload-media.ts';

/**
 * Uploads the sample media of a template header (api-rules#templates) and returns its handle for a create body. Makes two calls: one opens
 * the upload at the token's app, the other sends the bytes.
 */
export async function uploadSample(
  client: GraphClient,
  token: string,
  file: UpstreamFile,
): Promise<CallResult<string>> {
  const appId = client.appOf(token).id;
  if (appId === null) {
    file.stream.destroy();
    return unavailable('not_configured', { mayHaveHappened: false });
  }
  const opened = await openUpload(client, appId, token, file);
  if (opened.kind !== 'ok') {
    file.stream.destroy();
    return opened;
  }
  return callGraph(client, {
    name: 'uploadSample',
    method: 'POST',
    // Logs the app's id instead of the upload's, which is signed and must not be logged.
    objectId: appId,
    // Unencoded, because the id carries its own query string.
    path: `/${opened.value}`,
    token,
    scheme: 'OAuth',
    headers: ['file_offset', '0', 'content-type', file.mimeType, 'content-length', String(file.bytes)],
    body: file.stream,
    timeoutMs: client.transferTimeoutMs,
    silenceMs: client.silenceTimeoutMs,
    read: (answer) => textField(answer, 'h'),
  });
}

function openUpload(
  client: GraphClient,
  appId: string,
  token: string,
  { fileName, bytes, mimeType }: UpstreamFile,
): Promise<CallResult<string>> {
  return callGraph(client, {
    name: 'openUpload',
    method: 'POST',
    objectId: appId,
    path: nodePath(appId, 'uploads'),
    query: { file_name: fileName.toWellFormed(), file_length: String(bytes), file_type: mimeType },
    token,
    read: (answer) => {
      const id = idField(answer, 'id');
      return id !== null && /^upload:[^#]+$/.test(id) ? id : null;
    },
  });
}
