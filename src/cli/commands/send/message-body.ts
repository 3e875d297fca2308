import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';

export interface SendOptions {
  to: string;
  from?: string;
  template?: string;
  language: string;
  param: string[];
  media?: string;
  caption?: string;
  idempotencyKey?: string;
  wait?: boolean;
  timeout: number;
}

/** A medium that can be sent: its kind, and its reference in the body. */
export interface Medium {
  kind: string;
  reference: { id: string } | { link: string };
  fileName: string;
}

/** Returns the body of a send. */
export function messageBody(text: string | undefined, options: SendOptions, medium: Medium | undefined): object {
  const { to, template, caption } = options;
  const given = [text, template, medium].filter((one) => one !== undefined).length;
  if (given !== 1) throw new CliError(EXIT.usage, 'Give one of: a text, --template, --media.');
  const envelope = { messaging_product: 'whatsapp', to };
  if (template !== undefined) return { ...envelope, type: 'template', template: templateBody(template, options) };
  if (medium === undefined) return { ...envelope, type: 'text', text: { body: text } };
  const { kind, reference, fileName } = medium;
  const hasCaption = caption !== undefined && kind !== 'audio' && kind !== 'sticker';
  const content = { ...reference, ...(hasCaption && { caption }), ...(kind === 'document' && { filename: fileName }) };
  return { ...envelope, type: kind, [kind]: content };
}

function templateBody(name: string, { language, param }: SendOptions): object {
  const parameters = param.map((text) => {
    const [, parameterName, value] = /^([a-z_][a-z0-9_]*)=(.*)$/s.exec(text) ?? [];
    return parameterName === undefined
      ? { type: 'text', text }
      : { type: 'text', parameter_name: parameterName, text: value };
  });
  return {
    name,
    language: { code: language },
    ...(parameters.length > 0 && { components: [{ type: 'body', parameters }] }),
  };
}
