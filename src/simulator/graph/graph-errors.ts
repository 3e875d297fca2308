import type { JsonObject } from './json-object.ts';

interface CatalogueEntry {
  httpStatus: number;
  title: string;
  details: string;
}

const entry = (httpStatus: number, title: string, details = title): CatalogueEntry => ({ httpStatus, title, details });

/** The platform's texts for each code the simulator can produce; any other code gets a plain 400. */
const catalogue = new Map<number, CatalogueEntry>([
  [0, entry(401, 'AuthException', 'The app user could not be authenticated.')],
  [1, entry(400, 'API Unknown', 'An unknown error occurred.')],
  [2, entry(503, 'Service temporarily unavailable')],
  [3, entry(500, 'API Method', 'The app lacks the capability or permission for this call.')],
  [4, entry(400, 'Application request limit reached')],
  [10, entry(403, 'Permission Denied', 'The permission is not granted or has been removed.')],
  [33, entry(400, 'Parameter value is not valid', 'The business phone number has been deleted.')],
  [100, entry(400, 'Invalid parameter')],
  [102, entry(401, 'Session key invalid or no longer valid')],
  [104, entry(401, 'An access token is required to request this resource.')],
  [190, entry(401, 'Error validating access token: the token is expired, revoked or malformed.')],
  [200, entry(403, 'Permissions error', 'The token has no permission on this object.')],
  [368, entry(403, 'Temporarily blocked for policies violations', 'The account is restricted by a policy violation.')],
  [803, entry(404, 'Some of the aliases you requested do not exist')],
  [2500, entry(400, 'Unknown path components')],
  [80007, entry(400, 'Rate limit issues', 'The business account has reached its rate limit.')],
  [80008, entry(400, 'There have been too many calls to this business account. Wait a bit and try again.')],
  [130403, entry(400, 'Business has blocked the user')],
  [130429, entry(400, 'Rate limit hit', 'Cloud API message throughput has been reached.')],
  [130472, entry(400, "User's number is part of an experiment", 'The recipient is in a marketing experiment.')],
  [130497, entry(403, 'Business account is restricted from messaging users in this country.')],
  [131000, entry(500, 'Something went wrong', 'Message failed to send due to an unknown error.')],
  [131005, entry(403, 'Access denied', 'The permission is not granted or has been removed.')],
  [131008, entry(400, 'Required parameter is missing')],
  [131009, entry(400, 'Parameter value is not valid', 'Parameter Invalid')],
  [131016, entry(500, 'Service unavailable', 'A service is temporarily unavailable.')],
  [131021, entry(400, 'Recipient cannot be sender', 'The recipient is the sending number itself.')],
  [131026, entry(400, 'Message Undeliverable', 'The message cannot be delivered to this recipient.')],
  [131030, entry(400, 'Recipient phone number not in allowed list')],
  [131031, entry(403, 'Business Account locked', 'The business account has been locked.')],
  [131037, entry(400, 'Display name approval needed', 'The number needs an approved display name first.')],
  [131042, entry(400, 'Business eligibility payment issue', 'There was an error with the payment method.')],
  [131045, entry(500, 'Incorrect certificate', 'The number could not be registered.')],
  [
    131047,
    entry(
      400,
      'Re-engagement message',
      'More than 24 hours have passed since the recipient last wrote to this number.',
    ),
  ],
  [131048, entry(400, 'Spam rate limit hit', 'Too many earlier messages of this number were blocked or reported.')],
  [131049, entry(400, 'Message not delivered to maintain healthy ecosystem engagement.')],
  [131050, entry(400, 'User has stopped receipt of marketing messages from this business.')],
  [131051, entry(400, 'Unsupported message type', 'Message type is currently not supported.')],
  [131052, entry(400, 'Media download error', "The user's media could not be downloaded.")],
  [131053, entry(400, 'Media upload error', 'The media of this message could not be processed.')],
  [131055, entry(400, 'Method not allowed', 'Only marketing template messages are supported.')],
  [
    131056,
    entry(
      400,
      '(Business Account, Consumer Account) pair rate limit hit',
      'Too many messages were sent from this number to the same recipient in a short period.',
    ),
  ],
  [131057, entry(500, 'Account in maintenance mode', 'The account is in maintenance mode; try again in a minute.')],
  [131062, entry(400, 'Business-scoped user id recipients not supported for this message')],
  [131063, entry(400, 'Marketing templates of this account are disabled for Cloud API')],
  [131064, entry(400, 'Messaging limit reached', 'Templates of this account were misclassified.')],
  [132000, entry(400, 'Number of parameters does not match the expected number of params')],
  [132001, entry(404, 'Template name does not exist in the translation')],
  [132005, entry(400, 'Translated text too long')],
  [132007, entry(400, 'Template format character policy violated')],
  [132012, entry(400, 'Parameter format does not match format in the created template')],
  [132015, entry(400, 'Template is Paused', 'The template is paused because of low quality.')],
  [132016, entry(400, 'Template is Disabled', 'The template was paused too many times and is disabled.')],
  [132018, entry(400, 'Template validation error')],
  [133005, entry(400, 'Two step verification PIN Mismatch')],
  [133006, entry(400, 'Phone number re-verification needed', 'The number must be verified before it is registered.')],
  [133008, entry(400, 'Too many two step verification PIN guesses')],
  [133009, entry(400, 'Two step verification PIN guessed too fast')],
  [133015, entry(400, 'Please wait a few minutes before attempting to register this phone number')],
  [133016, entry(400, 'Account register deregister rate limit exceeded')],
  [133010, entry(400, 'Account not registered', 'The number is not registered on the Cloud API.')],
  [134100, entry(400, 'Only marketing messages supported', "You're only able to send marketing messages on this API.")],
  [134101, entry(400, 'Your template is still syncing', 'Syncing a new template takes up to 10 minutes.')],
  [134102, entry(500, 'Template unavailable for use', 'The template, or its account, may not be used here.')],
  [135000, entry(400, 'Generic user error', 'Something is wrong with the parameters of the request.')],
  [137000, entry(400, 'Recipient identity key mismatch')],
]);

/** Codes whose message is a sentence of its own, without the `(#code)` prefix and without `error_data`. */
const bareCodes = new Set([2, 104, 190]);
const transientCodes = new Set([2, 4]);

export interface GraphErrorFields {
  /** Replaces the catalogue's HTTP status. */
  httpStatus?: number;
  /** Replaces the whole `message`. */
  message?: string;
  /** Becomes `error_data.details`. */
  details?: string;
  subcode?: number;
  type?: string;
  userTitle?: string;
  userMessage?: string;
  isTransient?: boolean;
  /** Replaces `error_data` altogether; `null` leaves it out. */
  errorData?: JsonObject | null;
}

/** An unsuccessful answer of the Graph API: HTTP status plus the documented `error` object. */
export class GraphError extends Error {
  override readonly name = 'GraphError';
  readonly code: number;
  readonly httpStatus: number;
  readonly fields: GraphErrorFields;

  /** Takes title, details and HTTP status from the catalogue unless `fields` overrides them. */
  constructor(code: number, fields: GraphErrorFields = {}) {
    const known = catalogue.get(code);
    super(fields.message ?? (bareCodes.has(code) ? known?.title : `(#${code}) ${known?.title ?? 'Error'}`) ?? '');
    this.code = code;
    this.httpStatus = fields.httpStatus ?? known?.httpStatus ?? 400;
    this.fields = fields;
  }
}

/** Renders the JSON body of a refused Graph call as documented. Optional members are present only if they apply. */
export function graphErrorBody(error: GraphError, traceId: string): JsonObject {
  const { fields, code } = error;
  const details = fields.details ?? (fields.message === undefined ? catalogue.get(code)?.details : undefined);
  const errorData =
    fields.errorData === undefined && details !== undefined && !bareCodes.has(code)
      ? { messaging_product: 'whatsapp', details }
      : fields.errorData;
  const isTransient = fields.isTransient ?? (transientCodes.has(code) ? true : undefined);
  return {
    error: {
      message: error.message,
      type: fields.type ?? 'OAuthException',
      code,
      ...(errorData ? { error_data: errorData } : {}),
      ...(fields.subcode === undefined ? {} : { error_subcode: fields.subcode }),
      ...(isTransient === undefined ? {} : { is_transient: isTransient }),
      ...(fields.userTitle === undefined ? {} : { error_user_title: fields.userTitle }),
      ...(fields.userMessage === undefined ? {} : { error_user_msg: fields.userMessage }),
      fbtrace_id: traceId,
    },
  };
}

/** Renders one member of `statuses[].errors[]` for a message that failed after acceptance. */
export function statusError(code: number, details?: string): JsonObject {
  const known = catalogue.get(code);
  const title = known?.title ?? 'Error';
  return {
    code,
    title,
    message: title,
    error_data: { details: details ?? known?.details ?? title },
    href: 'https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes',
  };
}

/** Returns the error for a missing object or one the token cannot see; the platform does not distinguish them. */
export function unknownObject(id: string, method = 'post'): GraphError {
  return new GraphError(100, {
    type: 'GraphMethodException',
    subcode: 33,
    message:
      `Unsupported ${method} request. Object with ID '${id}' does not exist, cannot be loaded due to missing ` +
      'permissions, or does not support this operation',
  });
}

/** Returns the error for a missing or malformed top-level parameter (code 100 with its own sentence). */
export function invalidParameter(sentence: string): GraphError {
  return new GraphError(100, { message: `(#100) ${sentence}` });
}
