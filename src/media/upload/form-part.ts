/** One part of a submitted form, whichever way the form is encoded. */
export interface FormPart {
  name: string;
  /** `undefined` when none was given: the part is a value then, no file. */
  fileName: string | undefined;
  /** The type the part declares, as sent; `undefined` when it declares none, which many clients do. */
  contentType: string | undefined;
  /** May be read once, before the next part is asked for. What is not read is skipped. */
  contents: AsyncIterable<Buffer>;
}

/** A form that cannot be read. `message` completes "The form …" and is fit for the caller. */
export class FormError extends Error {
  override readonly name = 'FormError';
}
