import { randomUUID } from 'node:crypto';
import type { Api } from './api.ts';
import { writeMultipart } from './multipart.ts';

/** The gateway ends an upload earlier. */
const UPLOAD_MS_MAX = 10 * 60 * 1000;

/** A file for sends from one number. */
export interface Upload {
  phoneNumberId: string;
  file: Blob;
  /** MIME type. */
  type: string;
  fileName: string;
}

/**
 * Uploads a file as a stream. Returns its id.
 * @param report gets the number of bytes sent so far
 */
export async function uploadFile(
  api: Api,
  { phoneNumberId, file, type, fileName }: Upload,
  report: (bytes: number) => void = () => undefined,
): Promise<string> {
  const boundary = randomUUID();
  const form = { fields: { messaging_product: 'whatsapp', type }, file, fileName };
  const body = ReadableStream.from(writeMultipart(form, boundary, report));
  const { id } = await api.post<{ id: string }>(`/v1/${encodeURIComponent(phoneNumberId)}/media`, body, {
    contentType: `multipart/form-data; boundary=${boundary}`,
    timeoutMs: UPLOAD_MS_MAX,
  });
  return id;
}
