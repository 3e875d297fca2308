import { type TObject, type TProperties, type TSchema, Type } from 'typebox';

/** Returns the schema of a tool's arguments, which refuses unknown ones. */
export function strict<Properties extends TProperties>(properties: Properties): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false });
}

/** Returns the schema of a tool's data. Further members of the API's answers are allowed. */
export function open<Properties extends TProperties>(properties: Properties): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: true });
}

/** Returns the schema of a page: its rows and the cursor of the next page. */
export function pageOf(row: TSchema) {
  return open({ data: Type.Array(row), next: NEXT });
}

export const NULLABLE_TEXT = Type.Union([Type.String(), Type.Null()]);

const NEXT = Type.Union([Type.String(), Type.Null()], {
  description: 'Pass it as `cursor` for the next page; null at the end.',
});

export const CURSOR = Type.Optional(
  Type.String({ minLength: 1, maxLength: 500, description: '`next` of the page before, for the next page.' }),
);

export const PHONE_NUMBER_ID = Type.String({
  pattern: '^[0-9]{1,32}$',
  description: 'Numeric id of the sending number, as `list_numbers` shows it. Not the phone number itself.',
});

/** Returns the schema of the size of a page. */
export function limitOf(maximum: number, fallback: number) {
  return Type.Optional(
    Type.Integer({ minimum: 1, maximum, default: fallback, description: `Rows on the page, ${maximum} at most.` }),
  );
}
