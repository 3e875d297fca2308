import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';

/** The frame of the OpenAPI file; its paths come from the routes' own schemas. */
export const openApiInfo: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Fairway',
      version: '1',
      description:
        'Business messaging gateway in front of the WhatsApp Business Platform. Bodies of sends and templates are the ' +
        "upstream's own and are forwarded as sent.",
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: "An organization's API key (`fw_live_…`)." },
        adminToken: { type: 'http', scheme: 'bearer', description: "The operator's ADMIN_TOKEN." },
      },
    },
    security: [{ apiKey: [] }],
  },
};
