import { type Edge, edgesOf } from './edge.ts';

const row = edgesOf('Calls');

/** Calls and the control of conversations. They go to the platform at once and count against no hourly budget. */
export const CALL_EDGES: readonly Edge[] = [
  row('POST', 'number', 'calls', {
    name: 'controlCall',
    summary: 'Start, accept, reject or end a call',
    budget: 'messaging',
    sends: {
      messaging_product: 'whatsapp',
      to: '+12025550123',
      action: 'connect',
      session: { sdp_type: 'offer', sdp: 'v=0' },
    },
    answers: { messaging_product: 'whatsapp', calls: [{ id: 'wacid.ABGGFjFVU2AfAgo6V' }] },
  }),
  row('GET', 'number', 'call_permissions', {
    name: 'getCallPermission',
    summary: 'Read the permission to call a person',
    budget: 'messaging',
    query: ['user_wa_id', 'recipient'],
    answers: { messaging_product: 'whatsapp', permission: { status: 'no_permission' }, actions: [] },
  }),
  row('POST', 'number', 'thread_control', {
    name: 'controlThread',
    summary: 'Pass, release or take a conversation',
    budget: 'messaging',
    sends: { messaging_product: 'whatsapp', to: '+12025550123', action: 'release' },
  }),
];
