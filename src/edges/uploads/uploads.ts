import { type Accounts, wabaNotFound } from '../../accounts/index.ts';
import { AppError, invalid } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { readFirstText } from '../../http/index.ts';
import type { PassedFile } from '../../upstream/index.ts';
import type { ClientCall, PassedOn } from '../client-call.ts';
import { listOwnedObjects, storeOwnedObjects } from '../owners/queries.ts';
import type { PlatformCalls } from '../platform-calls.ts';
import { readBody } from '../request/read-body.ts';
import { openedUploadId, storedNameOf } from './upload-id.ts';

export interface UploadDeps {
  db: Queryable;
  clock: Clock;
  accounts: Accounts;
  calls: PlatformCalls;
  /** The app of the environment, if it is set. */
  appId: string | null;
}

/** An upload that an organization has opened. */
export interface OwnedUpload {
  uploadId: string;
  /** The account whose token opened it: the platform accepts no other. */
  wabaId: string;
}

/** Parameters of a new upload. */
const PARAMETERS = ['file_name', 'file_length', 'file_type', 'session_type'] as const;
const OPENING = { method: 'POST', budget: 'messaging', timeoutMs: 15_000 } as const;
const READING = { method: 'GET', budget: 'messaging', timeoutMs: 15_000 } as const;
/** Time for a part of 100 MiB, in milliseconds. */
const PART = { method: 'POST', budget: 'messaging', timeoutMs: 300_000 } as const;
/** The platform's name for the app that a token belongs to. */
const OWN_APP = 'app';
/** Types in which the platform reads parameters. Under them, bytes of a file could name another token. */
const PARAMETER_TYPE = /^(?:application\/(?:x-www-form-urlencoded|json)|multipart\/)/i;
const PLAIN_TYPE = /^[\w.+-]+\/[\w.+-]+(?: *; *[\w.-]+=(?:[\w.-]+|"[\w .-]+"))*$/;

/** Resumable uploads of files, such as samples of templates. An upload is known to the organization that opened it, and to no other. */
export class Uploads {
  readonly #deps: UploadDeps;

  constructor(deps: UploadDeps) {
    this.#deps = deps;
  }

  /**
   * Opens an upload at the app of the organization's first account, with the account's token, and stores its owner. Raises VALIDATION_ERROR,
   * NOT_FOUND for an organization without account, and the errors of `PlatformCalls.call`.
   */
  async open(call: ClientCall): Promise<PassedOn> {
    const { db, clock, accounts, calls, appId } = this.#deps;
    const { organizationId } = call.caller;
    const query = readParameters(call);
    const wabaIds = (await accounts.listNumbers(organizationId, 100)).map(({ wabaId }) => wabaId);
    const wabaId = wabaIds.sort()[0];
    if (wabaId === undefined) throw wabaNotFound();
    const waba = await accounts.findWaba(organizationId, wabaId);
    const app = { objectId: waba?.appId ?? appId ?? OWN_APP, wabaId };
    const answer = await calls.call(organizationId, app, OPENING, { path: 'uploads', query, body: null });
    const uploadId = answer.httpStatus < 300 ? openedUploadId(answer.body) : undefined;
    if (uploadId !== undefined) {
      const owned = {
        organizationId,
        objectId: storedNameOf(uploadId),
        kind: 'upload',
        wabaId,
        phoneNumberId: null,
      } as const;
      await storeOwnedObjects(db, [owned], new Date(clock.now()));
    }
    return answer;
  }

  /** Returns an upload of the organization. Raises NOT_FOUND: the same for another organization's upload and an invented one. */
  async get(organizationId: string, uploadId: string | undefined): Promise<OwnedUpload> {
    const name = uploadId === undefined ? [] : [storedNameOf(uploadId)];
    const known = await listOwnedObjects(this.#deps.db, organizationId, name);
    const owned = known.find(({ kind }) => kind === 'upload');
    if (uploadId === undefined || owned === undefined)
      throw new AppError('NOT_FOUND', 'There is no such upload, or it was opened long ago: open another one.');
    return { uploadId, wabaId: owned.wabaId };
  }

  /** Returns the platform's answer about the progress of an upload, or to the next bytes of its file, which pass as they are. */
  async pass(call: ClientCall, { uploadId, wabaId }: OwnedUpload, file: PassedFile | null): Promise<PassedOn> {
    const { calls } = this.#deps;
    const upload = { id: uploadId, ...(file !== null && { part: { file, ...partHeaders(call) } }) };
    const place = { objectId: OWN_APP, wabaId };
    const request = { path: '', query: {}, body: null, upload };
    return await calls.call(call.caller.organizationId, place, file === null ? READING : PART, request);
  }
}

/** Returns the parameters of a new upload, of the query or the body. Raises VALIDATION_ERROR. */
function readParameters(call: ClientCall): Record<string, string> {
  const body = readBody(call, { method: 'POST', body: { members: PARAMETERS, formFields: PARAMETERS } });
  const given = PARAMETERS.flatMap((name) => {
    const text = plainText(body?.textOf(name)) ?? readFirstText(call.query, name);
    return text === undefined ? [] : [[name, text] as const];
  });
  return Object.fromEntries(given);
}

/** Returns the value of a JSON text or number; any other text as it is. */
function plainText(text: string | undefined): string | undefined {
  return text?.startsWith('"') ? (JSON.parse(text) as string) : text;
}

function partHeaders({ headers }: ClientCall): { offset: string | undefined; contentType: string } {
  const { file_offset: offset, 'content-type': type = '' } = headers;
  if (offset !== undefined && (typeof offset !== 'string' || !/^\d{1,15}$/.test(offset)))
    throw invalid('"file_offset" must be the number of bytes that were sent before.');
  const isPlain = PLAIN_TYPE.test(type) && !PARAMETER_TYPE.test(type);
  return { offset, contentType: isPlain ? type : 'application/octet-stream' };
}
