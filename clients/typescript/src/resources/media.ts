import type { AnswerOf } from '../api-shapes.ts';
import type { CallOptions, Transport } from '../transport/transport.ts';

/** A file to upload. */
export interface Upload {
  /** The sending number in digits with country code. */
  phoneNumber: string;
  /** The contents. A stream is read into memory first, so that the upload can be repeated. */
  file: Blob | ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Name that the recipient sees. Default: that of a `File`. */
  filename?: string;
  /** MIME type. Default: that of the Blob. */
  type?: string;
}

/** Uploads, downloads and deletes files. */
export class Media {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Uploads a file. Its `media_id` can be sent for about 30 days, from the same number. */
  async upload({ phoneNumber, file, filename, type }: Upload, options?: CallOptions): Promise<AnswerOf<'uploadMedia'>> {
    const blob = file instanceof Blob ? file : await new Response(file).blob();
    const name = filename ?? (blob as { name?: string }).name ?? 'file';
    const form = new FormData();
    form.set('phone_number', phoneNumber);
    form.set('file', type === undefined ? blob : blob.slice(0, blob.size, type), name);
    // A second upload of the same file makes a second id and sends nothing.
    return this.#transport.body({ ...options, method: 'POST', path: '/v1/media/upload', form, repeatable: 'always' });
  }

  /** Downloads a file. Read it with `blob()`, `arrayBuffer()` or as the stream `body`; the time limit ends with the headers. */
  download(id: string, options: CallOptions & { phoneNumberId?: string } = {}): Promise<Response> {
    const { phoneNumberId, ...call } = options;
    const path = `/v1/media/${encodeURIComponent(id)}/download`;
    return this.#transport.stream({ ...call, method: 'GET', path, query: { phone_number_id: phoneNumberId } });
  }

  delete(id: string, options: CallOptions & { phoneNumberId?: string } = {}): Promise<AnswerOf<'deleteMedia'>> {
    const { phoneNumberId, ...call } = options;
    const query = { phone_number_id: phoneNumberId };
    return this.#transport.body({ ...call, method: 'DELETE', path: `/v1/${encodeURIComponent(id)}`, query });
  }
}
