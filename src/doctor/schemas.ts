import { Type } from 'typebox';
import { adminErrors, errorSchema, named } from '../http/index.ts';
import { STATUSES } from './check.ts';

const errors = { ...adminErrors, 400: errorSchema('A filter is malformed.', 'VALIDATION_ERROR') };

const querystring = Type.Object({
  organization_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Only this organization and the deployment.' }),
  ),
  waba_id: Type.Optional(Type.String({ description: 'Only this business account and the deployment.' })),
  check: Type.Optional(Type.String({ description: 'Only this check.' })),
});

const finding = named(
  'DoctorFinding',
  Type.Object({
    id: Type.String({ description: 'The check.' }),
    subject: Type.String({
      description: 'The object: `postgres`, `gateway`, `platform`, `app`, `waba …`, `number …`, `endpoint …`.',
    }),
    organization_id: Type.Union([Type.String(), Type.Null()], { description: 'Null for the deployment as a whole.' }),
    status: Type.Union(
      STATUSES.map((status) => Type.Literal(status)),
      { description: '`skipped` if another finding names the cause.' },
    ),
    message: Type.String(),
    advice: Type.Union([Type.String(), Type.Null()], { description: 'What to do.' }),
    doc: Type.String({ description: 'File and anchor in the documentation.' }),
    fixable: Type.Boolean({ description: 'True if `POST /admin/v1/doctor/fixes` repairs it.' }),
  }),
);

export const doctorSchema = {
  operationId: 'runDoctor',
  summary: 'Check the deployment',
  description:
    'Runs every check and answers one finding for each object. Asks the platform three times for each business account, at most for the 50 ' +
    'that were synced longest ago.',
  tags: ['Operator'],
  querystring,
  response: {
    ...errors,
    200: Type.Object(
      { findings: Type.Array(finding) },
      {
        description: 'All findings, in the order of the documentation.',
        examples: [
          {
            findings: [
              {
                id: 'waba-subscription',
                subject: 'waba 102290129340398',
                organization_id: '0199c0de-0000-7000-8000-000000000001',
                status: 'failed',
                message: 'The app is not subscribed to this business account: its statuses and messages do not arrive.',
                advice:
                  'Connect the business account again, or run `fairway doctor --fix` (POST /admin/v1/doctor/fixes).',
                doc: 'docs/doctor.md#waba-subscription',
                fixable: true,
              },
            ],
          },
        ],
      },
    ),
  },
};

export const fixSchema = {
  operationId: 'fixFindings',
  summary: 'Repair what the doctor found',
  description:
    'Runs the checks and repairs each fixable finding: subscribes the webhook fields of the app, subscribes business accounts, reads them ' +
    'again. Repeating it is safe.',
  tags: ['Operator'],
  querystring,
  response: {
    ...errors,
    200: Type.Object(
      {
        fixes: Type.Array(
          Type.Object({ id: Type.String(), subject: Type.String(), done: Type.Boolean(), message: Type.String() }),
        ),
      },
      {
        description: 'Every attempted repair.',
        examples: [
          { fixes: [{ id: 'waba-subscription', subject: 'waba 102290129340398', done: true, message: 'Repaired.' }] },
        ],
      },
    ),
  },
};
