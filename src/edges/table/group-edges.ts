import { type Edge, edgesOf, PAGES } from './edge.ts';

const row = edgesOf('Groups');

const GROUP_FIELDS = [
  'id',
  'subject',
  'description',
  'suspended',
  'creation_timestamp',
  'participants',
  'total_participant_count',
  'join_approval_mode',
  'messaging_product',
];
const GROUP = { id: 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD', subject: 'Regulars' };
const STARTED = { messaging_product: 'whatsapp', request_id: 'HBgLMTIwMjU1NTAxMjM' };
const PARTICIPANTS = { messaging_product: 'whatsapp', participants: [{ user: '+12025550123' }] };
const JOINS = { messaging_product: 'whatsapp', join_requests: ['9321'] };

/** Groups of a number. */
export const GROUP_EDGES: readonly Edge[] = [
  row('GET', 'number', 'groups', {
    name: 'listGroups',
    summary: 'List groups',
    query: PAGES,
    learns: 'group',
    answers: { data: { groups: [{ ...GROUP, created_at: '1793613603' }] } },
  }),
  row('POST', 'number', 'groups', {
    name: 'createGroup',
    summary: 'Create a group',
    sends: { messaging_product: 'whatsapp', subject: 'Regulars' },
    answers: STARTED,
  }),
  row('GET', 'group', '', { name: 'getGroup', summary: 'Read a group', fields: GROUP_FIELDS, answers: GROUP }),
  row('POST', 'group', '', {
    name: 'updateGroup',
    summary: 'Change a group',
    body: {
      members: ['messaging_product', 'subject', 'description', 'profile_picture_file'],
      formFields: ['messaging_product', 'subject', 'description', 'profile_picture_file', 'file'],
    },
    sends: { messaging_product: 'whatsapp', subject: 'Regulars' },
    answers: STARTED,
  }),
  row('DELETE', 'group', '', { name: 'deleteGroup', summary: 'Delete a group', answers: STARTED }),
  row('GET', 'group', 'invite_link', {
    name: 'getInviteLink',
    summary: 'Read the invitation link of a group',
    answers: { messaging_product: 'whatsapp', invite_link: 'https://chat.whatsapp.com/4O4YGZEG3RIVE1' },
  }),
  row('POST', 'group', 'invite_link', {
    name: 'resetInviteLink',
    summary: 'Replace the invitation link of a group',
    sends: { messaging_product: 'whatsapp' },
    answers: { messaging_product: 'whatsapp', invite_link: 'https://chat.whatsapp.com/4O4YGZEG3RIVE1' },
  }),
  row('DELETE', 'group', 'participants', {
    name: 'removeParticipants',
    summary: 'Remove people from a group',
    sends: PARTICIPANTS,
    answers: STARTED,
  }),
  row('GET', 'group', 'join_requests', {
    name: 'listJoinRequests',
    summary: 'List requests to join a group',
    query: PAGES,
    answers: { data: [{ join_request_id: '9321', wa_id: '12025550123' }] },
  }),
  row('POST', 'group', 'join_requests', {
    name: 'approveJoinRequests',
    summary: 'Approve requests to join a group',
    sends: JOINS,
    answers: { messaging_product: 'whatsapp', approved_join_requests: ['9321'] },
  }),
  row('DELETE', 'group', 'join_requests', {
    name: 'rejectJoinRequests',
    summary: 'Reject requests to join a group',
    sends: JOINS,
    answers: { messaging_product: 'whatsapp', rejected_join_requests: ['9321'] },
  }),
];
