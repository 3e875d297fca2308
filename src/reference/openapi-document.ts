/** The members of a JSON Schema that the reference shows. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
}

/** A body of a request or an answer. */
export interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; description?: string; content: Record<string, MediaType> };
  responses: Record<string, { description: string; content?: Record<string, MediaType> }>;
}

/** The part of the OpenAPI file that the reference shows. */
export interface OpenApiDocument {
  info: { title: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema> };
}

/** An operation with its place in the document. */
export interface PlacedOperation extends Operation {
  /** In capitals. */
  method: string;
  path: string;
}

/** Returns all operations of the document in its order. */
export function listOperations(document: OpenApiDocument): PlacedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** Returns the path of the page that has the operations of a tag, below `/docs/`. */
export function tagPath(tag: string): string {
  return `api/${tag.toLowerCase().replaceAll(' ', '-')}`;
}

/** Returns the first example of a body; undefined if it has none. */
export function exampleOf(media: MediaType | undefined): unknown {
  return media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
}

/** Returns the error codes that an answer may have. */
export function codesOf(response: Operation['responses'][string]): string[] {
  return (response.content?.['application/json']?.schema?.properties?.code?.enum ?? []) as string[];
}
