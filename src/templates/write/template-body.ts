import { invalid } from '../../core/errors.ts';
import {
  insertFirstMember,
  isObject,
  type JsonDocument,
  jsonLevels,
  object,
  readJsonDocument,
  replaceRanges,
} from '../../core/json/index.ts';
import { formatOfPlaceholders, hasNamedExamples, type ParameterFormat } from './parameter-format.ts';
import { isSampleUrl, listSampleMedia, type SampleMedia } from './sample-media.ts';
import { TEMPLATE_LANGUAGES } from './template-languages.ts';

/** A checked create body: the fields that Fairway reads, and the document to forward. */
export interface TemplateBody {
  name: string;
  language: string;
  /** In capitals, regardless of the case sent. */
  category: string;
  /** Given by the caller, or inferred (api-rules#templates). */
  parameterFormat: ParameterFormat;
  /** True if the format must be added to the body, because the upstream would assume the other one. */
  tellsFormat: boolean;
  /** Sample media given as URLs, to be fetched and replaced by handles. */
  samples: SampleMedia[];
  document: JsonDocument;
}

/** A checked edit body. The upstream decides which fields can be changed. */
export interface TemplateEdit {
  /** In capitals; undefined if the edit leaves it. */
  category: string | undefined;
  samples: SampleMedia[];
  document: JsonDocument;
}

const CATEGORIES = ['MARKETING', 'UTILITY', 'AUTHENTICATION'];
const URL_SAMPLES_MAX = 20;
/** Several times the number of fields that the upstream knows. Every rendering of a template goes through all of them. */
const FIELDS_MAX = 100;

/** Levels on which a repeated key could make the gateway read another value than the upstream. */
const READ_LEVELS = jsonLevels(
  'components.*.example',
  'components.*.buttons.*',
  'components.*.cards.*.components.*.example',
  'components.*.cards.*.components.*.buttons.*',
);

/**
 * Reads the body of a template create (api-rules#templates). Checks name, language, category, the presence of components, and the parameter
 * format; the upstream decides the rest. Raises VALIDATION_ERROR.
 */
export function readTemplateBody(body: Buffer): TemplateBody {
  const document = readFields(body);
  const { name, language, category, parameter_format: format, library_template_name: library } = document.value;
  // A template of the platform's library has its components there.
  const isFromLibrary = typeof library === 'string' && library !== '' && document.value.components === undefined;
  const components = isFromLibrary ? [] : document.value.components;
  if (typeof name !== 'string' || !/^[a-z0-9_]+$/.test(name)) {
    throw invalid('"name" must be a string of lowercase letters, digits and underscores.');
  }
  if (typeof language !== 'string' || !TEMPLATE_LANGUAGES.has(language)) {
    throw invalid('"language" must be an official template language code, for example "en", "en_US" or "hi".');
  }
  const knownCategory = categoryOf(category);
  if (!isFromLibrary && !isComponentList(components)) {
    throw invalid('"components" must be an array of template components with at least one.');
  }
  const givenFormat = format === undefined ? undefined : formatOf(format);
  const tellsFormat = format === undefined && hasNamedExamples(components);
  return {
    name,
    language,
    category: knownCategory,
    parameterFormat: givenFormat ?? (tellsFormat ? 'NAMED' : formatOfPlaceholders(components)),
    tellsFormat,
    samples: readSamples(document),
    document,
  };
}

/** Reads the body of a template edit. Raises VALIDATION_ERROR. */
export function readTemplateEdit(body: Buffer): TemplateEdit {
  const document = readFields(body);
  const { category, components } = document.value;
  if (Object.keys(document.value).length === 0) throw invalid('The body must name what to change.');
  const knownCategory = category === undefined ? undefined : categoryOf(category);
  if (components !== undefined && !isComponentList(components)) {
    throw invalid('"components" must be an array of template components with at least one.');
  }
  return { category: knownCategory, samples: readSamples(document), document };
}

/**
 * Returns the text to send upstream (api-rules#templates): the caller's own bytes, with sample URLs replaced by handles. `parameter_format`
 * is added if named examples imply it. `handleOf` has the handle of every URL.
 */
export function outgoingTemplate(
  { document, samples, tellsFormat }: Pick<TemplateBody, 'document' | 'samples'> & { tellsFormat?: boolean },
  handleOf: ReadonlyMap<string, string>,
): string {
  const text = replaceRanges(
    document.text,
    samples.map(({ path, value }) => {
      const range = document.rangeOf(path);
      const handle = handleOf.get(value);
      if (range === undefined || handle === undefined) throw new Error('a sample without a place or a handle');
      return { ...range, text: JSON.stringify(handle) };
    }),
  );
  return tellsFormat === true ? insertFirstMember(text, 'parameter_format', '"NAMED"') : text;
}

/** Returns a category in capitals: the platform accepts any case. */
function categoryOf(value: unknown): string {
  const category = typeof value === 'string' ? value.toUpperCase() : '';
  if (CATEGORIES.includes(category)) return category;
  throw invalid(`"category" must be one of ${CATEGORIES.join(', ')}.`);
}

/** Returns a parameter format in capitals: the platform accepts any case. */
function formatOf(value: unknown): ParameterFormat {
  const format = typeof value === 'string' ? value.toUpperCase() : '';
  if (format === 'NAMED' || format === 'POSITIONAL') return format;
  throw invalid('"parameter_format" must be "NAMED" or "POSITIONAL".');
}

/** Returns the members of a body without own columns, as one JSON object in the caller's spelling. */
export function otherFieldsOf({ value, rawOf }: JsonDocument, ownFields: readonly string[]): string {
  const others = Object.keys(value).filter((key) => !ownFields.includes(key));
  return object(others.map((key) => [key, rawOf([key])]));
}

function readFields(body: Buffer): JsonDocument {
  const document = readJsonDocument(body, READ_LEVELS);
  if (Object.keys(document.value).length > FIELDS_MAX)
    throw invalid(`The body must not have more than ${FIELDS_MAX} fields.`);
  return document;
}

function readSamples(document: JsonDocument): SampleMedia[] {
  const samples = listSampleMedia(document.value.components, ['components']).filter(({ value }) => isSampleUrl(value));
  if (new Set(samples.map(({ value }) => value)).size > URL_SAMPLES_MAX) {
    throw invalid(`A template can have at most ${URL_SAMPLES_MAX} different sample URLs.`);
  }
  return samples;
}

function isComponentList(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}
