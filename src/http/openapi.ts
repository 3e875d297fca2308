import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';

/** Frame of the OpenAPI file; its paths come from the routes' own schemas. */
export const openApiInfo: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Fairway',
      version: '1',
      contact: { name: 'The operator of this gateway' },
      license: { name: 'UNLICENSED', identifier: 'LicenseRef-UNLICENSED' },
      description:
        'Business messaging gateway in front of the WhatsApp Business Platform. Bodies of sends and templates are ' +
        "the platform's own and are forwarded as sent. Every answer has an `x-request-id`, which identifies the " +
        'request for the operator. If a plan limits requests a second, `RateLimit-Policy` and `RateLimit` show the ' +
        'limit and the rest. A path that cannot be decoded is answered 400 `VALIDATION_ERROR`.',
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            "An organization's API key (`fw_live_…`, or `fw_test_…` of a test organization). Operations name the scope that a limited key needs.",
        },
        adminToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'ADMIN_TOKEN, or the token of an operator (`fw_op_…`). Operations name the role.',
        },
      },
    },
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Messages', description: 'Send messages, read their status and history, cancel.' },
      { name: 'Opt-outs', description: 'People who want no marketing.' },
      {
        name: 'Templates',
        description:
          "Create, list, edit and delete templates and follow their reviews, also in the Cloud API's spelling.",
      },
      { name: 'Media', description: 'Upload, download and delete files.' },
      { name: 'Events', description: 'All events in order, the same that webhook endpoints receive.' },
      { name: 'People', description: "Export and erase a person's data." },
      { name: 'Webhooks', description: 'Endpoints that receive events, and their deliveries.' },
      { name: 'Cloud API nodes', description: 'Objects by their id alone, as in the Cloud API.' },
      {
        name: 'Numbers',
        description: 'Profile, block list, QR codes and settings of a number, passed on to the platform.',
      },
      { name: 'Registration', description: 'Add, verify, register and deregister numbers.' },
      { name: 'Calls', description: 'Calls, and the control of conversations.' },
      { name: 'Flows', description: 'Flows and their assets, passed on to the platform.' },
      { name: 'Groups', description: 'Groups of a number, passed on to the platform.' },
      {
        name: 'Business accounts',
        description: 'Figures and members of a business account, passed on to the platform.',
      },
      { name: 'Health', description: 'For load balancers; needs no key.' },
      { name: 'Apps', description: 'Further Meta apps beside the one of `UPSTREAM_APP_ID`.' },
      { name: 'Operators', description: 'People and programs that may use the admin API, and their roles.' },
      { name: 'Audit log', description: 'Changes made through the API, and the check that none was altered.' },
      { name: 'Organizations', description: 'For the operator: tenants, API keys, plans and usage.' },
      { name: 'Onboarding', description: 'For the operator: from an access token to a delivered message.' },
      { name: 'Accounts', description: 'For the operator: business accounts and sending numbers.' },
      { name: 'Operator', description: "For the operator: queue, metrics and the platform's webhooks." },
    ],
  },
  transformObject: (document) => withNamedSchemas(withOptionalBodies(document)),
  // Schemas with an id keep it as their name.
  refResolver: { buildLocalReference: ({ $id }, _baseUri, _fragment, index) => String($id ?? `schema${index}`) },
};

const MARK = 'x-optional-body';

/** Marks the schema of a route whose body is optional. Every other described body is required. */
export const OPTIONAL_BODY = { [MARK]: true };

const NAME = 'x-name';

/** Gives a schema a name: the OpenAPI file has it once, as `#/components/schemas/<name>`, and refers to it everywhere else. */
export function named<Schema extends object>(name: string, schema: Schema): Schema {
  return Object.assign(schema, { [NAME]: name });
}

type Transform = NonNullable<FastifyDynamicSwaggerOptions['transformObject']>;

function withOptionalBodies(document: Parameters<Transform>[0]): ReturnType<Transform> {
  if (!('openapiObject' in document)) return document.swaggerObject;
  const items = Object.values(document.openapiObject.paths ?? {});
  const operations = items.flatMap((item) => Object.values(item ?? {})) as {
    [MARK]?: boolean;
    requestBody: { required: boolean };
  }[];
  for (const operation of operations) {
    if (operation[MARK] === true) operation.requestBody.required = false;
    delete operation[MARK];
  }
  return document.openapiObject;
}

type JsonObject = Record<string, unknown>;

/** Moves named schemas to the components and leaves a reference in each place. */
function withNamedSchemas(document: ReturnType<Transform>): ReturnType<Transform> {
  const moved: Record<string, unknown> = {};
  const move = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(move);
    if (typeof value !== 'object' || value === null) return value;
    const { [NAME]: name, ...rest } = value as JsonObject;
    const schema = Object.fromEntries(
      // Examples are data: a member of theirs is no schema.
      Object.entries(rest).map(([key, member]) => [key, /^examples?$/.test(key) ? member : move(member)]),
    );
    if (typeof name !== 'string') return schema;
    moved[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  };
  const { components, ...rest } = document as JsonObject & { components: JsonObject };
  const lifted = move(rest) as JsonObject;
  const own = move(components) as JsonObject & { schemas?: JsonObject };
  return { ...lifted, components: { ...own, schemas: { ...own.schemas, ...moved } } } as ReturnType<Transform>;
}
