import { readFile } from 'node:fs/promises';

/** The message of `UnknownOutcomes` about a second try, by which a gateway's log names what it sent twice on purpose. */
const RESENT = 'outcome still unknown after its hold; sending once more';

/** Ids of the messages a gateway says it sent once more after an unknown outcome. */
export async function readResentIds(logFile: string): Promise<string[]> {
  const text = await readFile(logFile, 'utf8');
  return text
    .split('\n')
    .filter((line) => line.includes(RESENT))
    .flatMap((line) => /"messageId":"([^"]+)"/.exec(line)?.[1] ?? []);
}
