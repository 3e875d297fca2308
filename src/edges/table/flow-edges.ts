import { type Edge, edgesOf, PAGES } from './edge.ts';

const row = edgesOf('Flows');

const FLOW_FIELDS = [
  'id',
  'name',
  'status',
  'categories',
  'validation_errors',
  'json_version',
  'data_api_version',
  'data_channel_uri',
  'endpoint_uri',
  'preview',
  'health_status',
  'whatsapp_business_account',
  'application',
  'metric',
];
const ASSET_BYTES_MAX = 11 * 1024 * 1024;
const ASSET_TIMEOUT_MS = 30_000;
const FLOW = { id: '594425479261596', name: 'booking', status: 'DRAFT', categories: ['OTHER'] };
const CLONED = { place: 'body', name: 'clone_flow_id', kind: 'flow' } as const;

/** Flows of a business account and their assets. */
export const FLOW_EDGES: readonly Edge[] = [
  row('GET', 'account', 'flows', {
    name: 'listFlows',
    summary: 'List flows',
    query: PAGES,
    fields: FLOW_FIELDS,
    learns: 'flow',
    answers: { data: [FLOW] },
  }),
  row('POST', 'account', 'flows', {
    name: 'createFlow',
    summary: 'Create a flow',
    body: { formFields: ['name', 'categories', 'endpoint_uri', 'flow_json', 'publish'] },
    named: [CLONED],
    learns: 'flow',
    sends: { name: 'booking', categories: ['OTHER'] },
    answers: { id: '594425479261596' },
  }),
  row('GET', 'flow', '', {
    name: 'getFlow',
    summary: 'Read a flow',
    query: ['date_format'],
    fields: FLOW_FIELDS,
    answers: FLOW,
  }),
  row('POST', 'flow', '', {
    name: 'updateFlow',
    summary: 'Change a flow',
    body: {
      members: ['name', 'categories', 'endpoint_uri', 'application_id'],
      formFields: ['name', 'categories', 'endpoint_uri', 'application_id'],
    },
    sends: { name: 'booking' },
  }),
  row('DELETE', 'flow', '', { name: 'deleteFlow', summary: 'Delete a flow' }),
  row('GET', 'flow', 'assets', {
    name: 'listFlowAssets',
    summary: 'List the assets of a flow',
    query: PAGES,
    fields: ['name', 'asset_type', 'download_url'],
    answers: {
      data: [{ name: 'flow.json', asset_type: 'FLOW_JSON', download_url: 'https://cdn.example.com/flow.json' }],
    },
  }),
  row('POST', 'flow', 'assets', {
    name: 'uploadFlowAsset',
    summary: 'Upload the JSON of a flow',
    body: { formFields: ['file', 'name', 'asset_type', 'messaging_product'], bytesMax: ASSET_BYTES_MAX },
    timeoutMs: ASSET_TIMEOUT_MS,
    answers: { success: true, validation_errors: [] },
  }),
  row('POST', 'flow', 'publish', { name: 'publishFlow', summary: 'Publish a flow' }),
  row('POST', 'flow', 'deprecate', { name: 'deprecateFlow', summary: 'Deprecate a flow' }),
];
