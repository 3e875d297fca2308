/** Kinds of ids that begin a path. */
export type IdKind = 'number' | 'account' | 'flow' | 'group' | 'template' | 'signup' | 'history';

/** Kinds of ids whose owner the path does not show; the gateway keeps a map of their owners. */
export const MAPPED_KINDS = ['flow', 'group', 'signup', 'history'] as const;
export type MappedKind = (typeof MAPPED_KINDS)[number];

/** Kinds in the map of owners, by the number that is stored for them: append only. Uploads are found by their own routes. */
export const STORED_KINDS = ['flow', 'group', 'signup', 'history', 'upload'] as const;
export type StoredKind = (typeof STORED_KINDS)[number];

/** Rule for the body of a call. Reserved members are refused in every body (`reserved-members.ts`). */
export interface BodyRule {
  /** The only members that pass; any if absent. */
  members?: readonly string[];
  /** Members that never pass, each with the way out as the end of a sentence. */
  refused?: Readonly<Record<string, string>>;
  /** Fields of a multipart form; without it, no such form is accepted. */
  formFields?: readonly string[];
  /** Largest body in bytes; 1 MiB if absent. */
  bytesMax?: number;
}

/** A place outside of the path that names an object, which must be the organization's own. */
export interface NamedObject {
  place: 'query' | 'body';
  /** The parameter or member; its value is an id or a list of ids. */
  name: string;
  kind: 'flow' | 'template';
}

/** Consequence of a successful call: the number is or is not registered, or the account is read again. */
type Consequence = 'registered' | 'deregistered' | 'account_read';

/** One call that is passed on to the platform. */
export interface Edge {
  method: 'GET' | 'POST' | 'DELETE';
  /** Kind of the id that begins the path. */
  of: IdKind;
  /** The path behind the id; empty for the object itself. `:code` stands for one word. */
  path: string;
  /** Name of the operation in the OpenAPI file. */
  name: string;
  tag: string;
  summary: string;
  /** `management` counts against the hourly budget of the business account, `messaging` does not. */
  budget: 'management' | 'messaging';
  /** Query parameters that pass. Others are ignored. */
  query: readonly string[];
  /** Members that the parameter `fields` may name; without them `fields` does not pass. */
  fields?: readonly string[];
  body: BodyRule;
  named: readonly NamedObject[];
  /** Kind of the ids that the answer brings: of a list, or of a new object. */
  learns?: MappedKind;
  follows?: Consequence;
  /** True if the routes of nodes serve it, for what the gateway does not know itself. Rows of an object itself are served so, too. */
  ofNodes?: boolean;
  /** Milliseconds until the platform's answer is given up. */
  timeoutMs: number;
  example: { body?: object; answer: object };
}

type Row = Partial<
  Pick<Edge, 'budget' | 'query' | 'fields' | 'body' | 'named' | 'learns' | 'follows' | 'ofNodes' | 'timeoutMs'>
> & {
  name: string;
  summary: string;
  body?: BodyRule;
  sends?: object;
  answers?: object;
};

const TIMEOUT_MS = 15_000;
const MESSAGING_TIMEOUT_MS = 10_000;

/** Returns a function that makes the rows of one tag. */
export function edgesOf(tag: string) {
  return (method: Edge['method'], of: IdKind, path: string, row: Row): Edge => {
    const { sends, answers = { success: true }, budget = 'management', ...rest } = row;
    return {
      query: [],
      body: {},
      named: [],
      timeoutMs: budget === 'messaging' ? MESSAGING_TIMEOUT_MS : TIMEOUT_MS,
      ...rest,
      method,
      of,
      path,
      tag,
      budget,
      example: { ...(sends !== undefined && { body: sends }), answer: answers },
    };
  };
}

/** Query parameters of every list. */
export const PAGES = ['limit', 'after', 'before'] as const;
