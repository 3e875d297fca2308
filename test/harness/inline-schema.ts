type Schema = Record<string, unknown>;

/** Returns `schema` with all references to `document` and all `allOf` members resolved, so that a validator can use it alone. */
export function inlineSchema(document: object, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((one) => inlineSchema(document, one));
  if (typeof schema !== 'object' || schema === null) return schema;
  const {
    $ref,
    allOf = [],
    ...own
  } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      /^examples?$/.test(key) ? value : inlineSchema(document, value),
    ]),
  ) as Schema & { allOf?: Schema[] };
  const parts = typeof $ref === 'string' ? [inlineSchema(document, targetOf(document, $ref)) as Schema] : allOf;
  return parts.reduce((inner, part) => merge(part, inner), own);
}

function merge(base: Schema, own: Schema): Schema {
  if (base.properties === undefined) return { ...base, ...own };
  return { ...base, ...own, properties: { ...base.properties, ...(own.properties ?? {}) } };
}

function targetOf(document: object, reference: string): unknown {
  const steps = reference.split('/').slice(1);
  return steps.reduce<unknown>((found, step) => (found as Schema | undefined)?.[step], document);
}
