import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../../core/make-directory.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { isMembers, parseExact } from './exact-json.ts';
import { templateKey } from './template.ts';
import { fileTextOf, type TemplateContent } from './template-file.ts';

/** Folder of the templates unless one is named. */
export const DEFAULT_FOLDER = 'templates';

/** A file with a template. */
export interface TemplateFile {
  path: string;
  content: TemplateContent;
}

/**
 * Reads every `.json` file of a folder, by `templateKey`. Returns undefined if the folder is missing.
 * @throws CliError for wrong usage that names all files without a template, and files of the same template
 */
export async function readFolder(folder: string): Promise<Map<string, TemplateFile> | undefined> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unusable(folder, error);
  });
  if (names === undefined) return undefined;
  const files = new Map<string, TemplateFile>();
  const problems: string[] = [];
  for (const name of names.filter((one) => one.endsWith('.json')).sort()) {
    const path = join(folder, name);
    const content = readContent(await readFile(path, 'utf8').catch((error) => Promise.reject(unusable(path, error))));
    if (typeof content === 'string') problems.push(`${path}: ${content}`);
    else {
      const key = templateKey(content);
      const other = files.get(key);
      if (other !== undefined) problems.push(`${path}: the same template as ${other.path}`);
      files.set(key, { path, content });
    }
  }
  if (problems.length > 0) throw new CliError(EXIT.usage, problems.join('; '));
  return files;
}

/** Reads the template of one file. */
export async function readTemplateFile(path: string): Promise<TemplateContent> {
  const content = readContent(await readFile(path, 'utf8').catch((error) => Promise.reject(unusable(path, error))));
  if (typeof content === 'string') throw new CliError(EXIT.usage, `${path}: ${content}`);
  return content;
}

/** Writes a template to a path. */
export async function writeTemplateFile(path: string, content: TemplateContent): Promise<void> {
  await writeFile(path, fileTextOf(content)).catch((error) => Promise.reject(unusable(path, error)));
}

/** Creates the folder if it is missing. */
export async function makeFolder(folder: string): Promise<void> {
  await makeDirectory(folder).catch((error) => Promise.reject(unusable(folder, error)));
}

/**
 * Returns the path of the file for a template.
 * @throws CliError for a name that is none: it could lead out of the folder
 */
export function pathFor(folder: string, template: Pick<TemplateContent, 'name' | 'language'>): string {
  const key = templateKey(template);
  if (!/^[a-z0-9_]+\.[A-Za-z_-]+$/.test(key)) throw new CliError(EXIT.failed, `The template "${key}" gets no file.`);
  return join(folder, `${key}.json`);
}

/** Returns the template in the text of a file, or the problem. */
function readContent(text: string): TemplateContent | string {
  let content: unknown;
  try {
    content = parseExact(text);
  } catch {
    return 'no JSON';
  }
  if (!isMembers(content)) return 'no template';
  for (const member of ['name', 'language', 'category'])
    if (typeof content[member] !== 'string') return `"${member}" is missing`;
  if (!Array.isArray(content.components) || !content.components.every(isMembers)) return '"components" is no list';
  return content as TemplateContent;
}

function unusable(path: string, error: NodeJS.ErrnoException): CliError {
  return new CliError(EXIT.usage, `${path} cannot be used (${error.code ?? error.message}).`, { cause: error });
}
