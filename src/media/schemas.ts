import { Type } from 'typebox';
import { commonErrors, errorSchema } from '../http/index.ts';

const TAGS = ['Media'];
/** Data URIs are taken URL-encoded as well, which is said in words: generators read one type of form. */
const FORMS = ['multipart/form-data'];

const file = Type.String({
  format: 'binary',
  description:
    'The file, or a `data:<mime>;base64,<payload>` URI, which a form of type `application/x-www-form-urlencoded` may carry, too. Its type is determined from the declared MIME type, then the ' +
    'extension, then the contents, which must be of that type. Supported are JPEG and PNG images up to 5 MiB, WebP stickers ' +
    '(100 KiB, animated 500 KiB), AAC, AMR, MP3, M4A and Ogg Opus audio and MP4 and 3GP video (16 MiB), and as documents ' +
    'plain text, PDF and Microsoft Office (100 MiB).',
});

const rejected = errorSchema(
  "The platform rejected the file. The status is the platform's own, and `message` its explanation.",
  'UPLOAD_REJECTED',
);

const uploadErrors = {
  ...commonErrors,
  408: errorSchema('The body took longer than two minutes to arrive.', 'REQUEST_TIMEOUT'),
  413: errorSchema('The body is larger than a file of 100 MiB and its form.', 'PAYLOAD_TOO_LARGE'),
  403: errorSchema(
    'The platform rejected the file, or the limits of the API key do not permit the upload.',
    'UPLOAD_REJECTED',
    'FORBIDDEN',
  ),
  409: rejected,
  415: rejected,
  422: rejected,
  500: errorSchema('A temporary error. Try again.', 'UPLOAD_FAILED'),
  502: errorSchema('The platform rejected the credentials for this number.', 'UPLOAD_REJECTED'),
};

export const uploadSchema = {
  operationId: 'uploadMedia',
  summary: 'Upload a file',
  description:
    'Uploads a file under a number. The id is good for about 30 days, for sends from that number only: as `image.id`, ' +
    '`video.id`, `audio.id`, `document.id` or `sticker.id`, or as the media of a template header. Fields may come in any ' +
    'order.',
  tags: TAGS,
  consumes: FORMS,
  body: Type.Object(
    {
      phone_number: Type.String({ description: 'The sending number, digits with country code, no `+`.' }),
      file,
      filename: Type.Optional(
        Type.String({ description: "Name the recipient sees. Defaults to the uploaded file's name." }),
      ),
    },
    {
      examples: [{ phone_number: '15550783881', file: 'data:image/png;base64,iVBORw0KGgo…', filename: 'parcel.png' }],
    },
  ),
  response: {
    ...uploadErrors,
    200: Type.Object(
      { media_id: Type.String(), mime_type: Type.String(), bytes: Type.Integer() },
      {
        description: 'Uploaded.',
        examples: [{ media_id: '1037543291543636', mime_type: 'image/png', bytes: 48_213 }],
      },
    ),
    400: errorSchema(
      'A field is missing, or the file is of no supported type, not of the declared type, empty or too large; `message` names its contents.',
      'INVALID_MEDIA',
      'MISSING_FILE',
      'MISSING_PHONE_NUMBER',
      'UPLOAD_REJECTED',
    ),
    404: errorSchema(
      'No connected number in the organization matches `phone_number`.',
      'ACCOUNT_NOT_FOUND',
      'UPLOAD_REJECTED',
    ),
  },
};

export const cloudUploadSchema = {
  operationId: 'uploadMediaToNumber',
  summary: 'Upload a file, as in the Cloud API',
  description: 'Same as `POST /v1/media/upload`. Any Graph version in place of `/v1` works as well.',
  tags: TAGS,
  consumes: FORMS,
  params: Type.Object({ phoneNumberId: Type.String({ description: 'The numeric ID of the sending number.' }) }),
  body: Type.Object(
    {
      file,
      type: Type.Optional(Type.String({ description: "MIME type. Defaults to the type of the file's part." })),
      messaging_product: Type.Optional(Type.Literal('whatsapp')),
    },
    { examples: [{ messaging_product: 'whatsapp', type: 'image/png', file: 'data:image/png;base64,iVBORw0KGgo…' }] },
  ),
  response: {
    ...uploadErrors,
    200: Type.Object({ id: Type.String() }, { description: 'Uploaded.', examples: [{ id: '1037543291543636' }] }),
    400: errorSchema(
      'The file is missing, of no supported type, not of the declared type, empty or too large; `message` names its contents.',
      'INVALID_MEDIA',
      'MISSING_FILE',
      'UPLOAD_REJECTED',
      'VALIDATION_ERROR',
    ),
    404: errorSchema('No such number.', 'ACCOUNT_NOT_FOUND', 'UPLOAD_REJECTED'),
  },
};

const mediaIdParams = Type.Object({
  id: Type.String({ description: 'The id of an upload or of received media.' }),
});

const mediaQuery = Type.Object({
  phone_number_id: Type.Optional(
    Type.String({
      description: 'The number the media must belong to. Needed for ids not known here with many numbers.',
    }),
  ),
});

/** Errors of every operation on one media object. */
const mediaErrors = {
  ...commonErrors,
  404: errorSchema('There is nothing with this id.', 'NOT_FOUND'),
  422: errorSchema('The platform refused; `provider_error` has its words.', 'PROVIDER_REJECTED'),
};

export const downloadSchema = {
  operationId: 'downloadMedia',
  summary: 'Download a file',
  description: 'The file of an upload or of received media, passed through from the platform.',
  tags: TAGS,
  params: mediaIdParams,
  querystring: mediaQuery,
  response: {
    ...mediaErrors,
    200: {
      description: 'The file.',
      headers: {
        'Content-Disposition': Type.String({
          description:
            'Always `attachment`, with the name of the file, or with its id and extension if it has no name.',
        }),
      },
      content: { '*/*': { schema: Type.String({ format: 'binary', examples: ['(the bytes of the file)'] }) } },
    },
  },
};

export const deleteSchema = {
  operationId: 'deleteMedia',
  summary: 'Delete a file',
  description: 'Deletes the file of a media id at the platform.',
  tags: TAGS,
  params: mediaIdParams,
  querystring: mediaQuery,
  response: {
    ...mediaErrors,
    200: Type.Object({ success: Type.Literal(true) }, { description: 'Deleted.', examples: [{ success: true }] }),
  },
};
