import type { SendRoad } from '../src/upstream/index.ts';

/** The contents that the platform can read in a request: the client's label of the message and its recipient. */
export interface Envelope {
  label: string;
  /** The recipient's phone number, digits, or user id. */
  name: string;
  /** The template that it names. */
  template: string | undefined;
  callbackData: string | undefined;
}

/** A request whose first byte has been written. */
export interface Written {
  label: string;
  node: string;
  token: string;
  road: SendRoad;
  /** True once the sender has received a definite refusal. */
  isRefused: boolean;
  /** By the wall clock of the node. */
  wallMs: number;
}

/** A request that reached the platform. */
export interface Arrival {
  label: string;
  road: SendRoad;
  phoneNumberId: string;
  atMs: number;
  /** Id of the person whom the name in the body reached; undefined if nobody has it. */
  person: number | undefined;
  /** Id of the message created; undefined if it was refused. */
  wamid: string | undefined;
  /** True if the sender received the platform's verdict. */
  isAnswered: boolean;
}
