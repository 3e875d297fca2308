/** The person of a message that is stored, as far as known. */
export interface MessagePerson {
  /** Phone number, digits as reported; the person's key if no number was reported. Undefined if the message has neither. */
  contact: string | undefined;
  /** The person's key in queues and windows. */
  pair: string | undefined;
  /** The name of the person's conversation, if the conversation key of `contact` is another. */
  person: string | undefined;
  userId: string | undefined;
}
