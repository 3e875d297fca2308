import { fingerprintJson, readStoredJson, replaceRanges } from '../../core/json/index.ts';
import { listSampleMedia } from '../write/sample-media.ts';

/**
 * Returns a fingerprint that is equal for two spellings of the same components, given as JSON text. Sample media are left out, because the
 * upstream reports them as URLs with a new signature each time.
 */
export function fingerprintComponents(components: string): string {
  const document = readStoredJson(`{"components":${components}}`);
  const blanks = listSampleMedia(document.value.components, ['components']).flatMap(({ path }) => {
    const range = document.rangeOf(path);
    return range === undefined ? [] : [{ ...range, text: '""' }];
  });
  return fingerprintJson(replaceRanges(document.text, blanks));
}
