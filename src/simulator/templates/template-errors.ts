import { GraphError } from '../graph/graph-errors.ts';

/** Reasons to refuse a template: the subcodes of code 100 with their English titles. */
const titles = {
  2388019: 'Message Template Limit Exceeded',
  2388023: 'Message Template Language is Being Deleted',
  2388024: 'Content in This Language Already Exists',
  2388039: "Message template status can't be changed",
  2388040: 'Character Limit Exceeded',
  2388043: 'Message Template "components" param is missing expected field(s)',
  2388044: 'Message Template "components" buttons are invalid',
  2388046: 'Name Format is Incorrect',
  2388047: 'Message header format is incorrect',
  2388072: 'Message body format is incorrect',
  2388073: 'Message footer format is incorrect',
  2388273: 'Header sample is not valid',
  2388293: 'This message template contains too many variable parameters relative to the message length',
  2388299: 'Leading or trailing params not allowed',
  2388318: 'Generated templates cannot be updated',
  2388330: 'Generated templates cannot be deleted',
} as const;

export type TemplateSubcode = keyof typeof titles;

/** Returns the refusal of a template create or edit: HTTP 400, code 100 and the texts for its author. */
export function templateError(subcode: TemplateSubcode, userMessage: string, blamedField?: string): GraphError {
  return new GraphError(100, {
    message: 'Invalid parameter',
    subcode,
    userTitle: titles[subcode],
    userMessage,
    isTransient: false,
    ...(blamedField === undefined ? {} : { errorData: { blame_field_specs: [[blamedField]] } }),
  });
}

/** Returns a refusal without a known subcode. */
export function plainTemplateError(userTitle: string, userMessage: string): GraphError {
  return new GraphError(100, { message: 'Invalid parameter', userTitle, userMessage, isTransient: false });
}
