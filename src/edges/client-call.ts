import type { IncomingHttpHeaders } from 'node:http';
import type { Caller, Query } from '../http/index.ts';
import type { Edge } from './table/edge.ts';

/** A client's call, as it arrived. */
export interface ClientCall {
  caller: Caller;
  method: Edge['method'];
  headers: IncomingHttpHeaders;
  query: Query;
  body: Buffer | undefined;
  /** The word in place of `:code` in the path. */
  code: string | undefined;
  /** Base URL of the gateway as the client reaches it. */
  address: string;
}

/** The platform's answer for the client. */
export interface PassedOn {
  httpStatus: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}
