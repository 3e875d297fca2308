import { object, readStoredJson } from '../../../core/json/index.ts';
import type { Format } from './signature.ts';

/** Members of a body in the format `standard`, in their order. */
const MEMBERS = ['type', 'timestamp', 'data'];

/** Returns the bodies of the `count` events of a page, each byte for byte as an endpoint of the format gets it. */
export function bodiesOf(pageText: string, count: number, format: Format): string[] {
  const page = readStoredJson(pageText);
  return Array.from({ length: count }, (_, place) => {
    const rawOf = (member: string) => page.rawOf(['data', place, member]);
    if (format === 'cloud_api') return rawOf('data') ?? '';
    return object(MEMBERS.map((member) => [member, rawOf(member)]));
  });
}
