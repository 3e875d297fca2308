import { styleText } from 'node:util';
import { safeJson, safeText } from './safe-text.ts';

export type Style = Parameters<typeof styleText>[0];

/** Returns data as safe text in a style, if standard output shows styles (a terminal, NO_COLOR, FORCE_COLOR). */
export function styled(style: Style, text: string): string {
  return styleText(style, safeText(text), { stream: process.stdout });
}

/** Standard output and standard error of a command. */
export class Output {
  /** True with `--json`: standard output holds only JSON. */
  readonly isJson: boolean;

  constructor(isJson: boolean) {
    this.isJson = isJson;
  }

  /** Prints the result of a command: one JSON document, or the text for people. */
  async result(value: unknown, render: () => string | Promise<string>): Promise<void> {
    process.stdout.write(`${this.isJson ? safeJson(value, 2) : await render()}\n`);
  }

  /** Prints one item of a stream: a line of JSON, or the line for people. */
  item(value: unknown, render: () => string): void {
    process.stdout.write(`${this.isJson ? safeJson(value) : render()}\n`);
  }

  /** Prints a remark for people to standard error. */
  note(text: string): void {
    process.stderr.write(`${safeText(text)}\n`);
  }
}
