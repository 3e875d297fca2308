/** Part of a submitted form, in either encoding. */
export interface FormPart {
  name: string;
  /** File name; `undefined` if none was given: then the part is a value and no file. */
  fileName: string | undefined;
  /** Type that the part declares, as sent; `undefined` if it declares none, as many clients do. */
  contentType: string | undefined;
  /** Contents; may be read once, before the next part is requested. Unread contents are skipped. */
  contents: AsyncIterable<Buffer>;
}

/** Raised for a form that cannot be read. `message` completes "The form …" and is fit for the caller. */
export class FormError extends Error {
  override readonly name = 'FormError';
}
