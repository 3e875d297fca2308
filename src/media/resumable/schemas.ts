import { Type } from 'typebox';
import { passedAnswer, platformRefusal } from '../../edges/index.ts';
import { commonErrors, errorSchema } from '../../http/index.ts';

const tags = ['Media'];
const refused = errorSchema("The platform refuses the gateway's token.", 'PROVIDER_REJECTED');
const busy = errorSchema('Too many requests, or too many files at once; see `Retry-After`.', 'RATE_LIMITED');
const unreached = errorSchema('The platform could not be reached, or gave no answer in time.', 'UNAVAILABLE');
const params = Type.Object({
  uploadId: Type.String({
    description: 'The id of an upload, with its query. `/v1/{id}` as the platform has it works as well.',
  }),
});
const unknownUpload = errorSchema('The organization has opened no such upload.', 'NOT_FOUND');

export const openUploadSchema = {
  operationId: 'openUpload',
  summary: 'Open an upload of a sample',
  description:
    "Passed on to the platform's `POST /{appId}/uploads`; the answer is the platform's own. The upload is opened at the gateway's own app, " +
    'whichever app the path names. Its handle is the sample of a template header (`example.header_handle`).',
  tags,
  params: Type.Object({ appId: Type.String({ description: 'The id of an app in digits, or `app`.' }) }),
  querystring: Type.Object({
    file_name: Type.Optional(Type.String({ description: 'Name of the file.' })),
    file_length: Type.Optional(Type.String({ description: 'Size of the file in bytes. The platform needs it.' })),
    file_type: Type.Optional(Type.String({ description: 'MIME type of the file. The platform needs it.' })),
    session_type: Type.Optional(Type.String({ description: "As the platform's." })),
  }),
  response: {
    ...commonErrors,
    200: passedAnswer({ id: 'upload:MTphdHRhY2htZW50OjAx?sig=ARZqkGCA' }),
    ...platformRefusal,
    400: errorSchema('A body or a parameter that must not pass.', 'VALIDATION_ERROR'),
    404: errorSchema('The id names no app, or the organization has no business account.', 'NOT_FOUND'),
    422: refused,
    429: busy,
    503: unreached,
  },
};

export const readUploadSchema = {
  operationId: 'getUpload',
  summary: 'Read the progress of an upload',
  description: "Passed on to the platform's `GET /{uploadId}`: `file_offset` is the number of bytes that it has.",
  tags,
  params,
  response: {
    ...commonErrors,
    200: passedAnswer({ id: 'upload:MTphdHRhY2htZW50OjAx?sig=ARZqkGCA', file_offset: 0 }),
    ...platformRefusal,
    404: unknownUpload,
    422: refused,
    429: busy,
    503: unreached,
  },
};

export const uploadPartSchema = {
  operationId: 'uploadPart',
  summary: 'Send the bytes of an upload',
  description:
    "Passed on to the platform's `POST /{uploadId}` with its header `file_offset`: the number of bytes that were sent before. The body is the file itself, up to 100 MiB, not a form. The " +
    'answer has the handle `h` once the platform has all bytes.',
  tags,
  params,
  consumes: ['application/octet-stream'],
  body: Type.Unsafe({ type: 'string', format: 'binary', examples: ['(the bytes of the file)'] }),
  response: {
    ...commonErrors,
    200: passedAnswer({ h: '4::aW1hZ2UvcG5n:YS5wbmc=:ARb0…' }),
    ...platformRefusal,
    400: errorSchema('A header or a body that cannot be read.', 'VALIDATION_ERROR'),
    404: unknownUpload,
    408: errorSchema('The body took longer than two minutes to arrive.', 'REQUEST_TIMEOUT'),
    413: errorSchema('The body is larger than 100 MiB.', 'PAYLOAD_TOO_LARGE'),
    422: refused,
    429: busy,
    503: unreached,
  },
};
