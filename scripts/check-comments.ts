import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['src', 'sim', 'chaos', 'bench', 'test', 'scripts', 'clients', 'console'];

/** The upper limit of each habit that makes a comment hard to read. */
const LIMITS = {
  /** Occurrences per 1,000 words of comments. */
  what: 3,
  /** Matches of the three words that hide the actor, per 1,000 words of comments. */
  actorless: 2,
  /** Comments that begin with a clause that has no noun. */
  openings: 40,
};

interface Comment {
  file: string;
  line: number;
  text: string;
}

/** Returns the comments of a file: blocks, groups of line comments, and comments behind code. */
function commentsOf(file: string): Comment[] {
  const comments: Comment[] = [];
  let open: Comment | undefined;
  let isBlock = false;
  for (const [index, raw] of readFileSync(join(ROOT, file), 'utf8').split('\n').entries()) {
    const line = raw.trim();
    if (isBlock) {
      if (open !== undefined) open.text += ` ${line.replace(/^\*+\/?|\*\/$/g, '')}`;
      isBlock = !line.endsWith('*/');
      if (!isBlock) open = undefined;
      continue;
    }
    const [, mark = '', text = ''] =
      /^(\/\*\*?|\/\/|--)\s?(.*)$/.exec(line) ?? /[;,{(]\s(\/\/)\s(.*)$/.exec(line) ?? [];
    if (mark === '') {
      open = undefined;
    } else if (mark.startsWith('/*')) {
      isBlock = !text.endsWith('*/');
      open = { file, line: index + 1, text: text.replace(/\*\/$/, '') };
      comments.push(open);
    } else if (open !== undefined && line.startsWith(mark)) {
      open.text += ` ${text}`;
    } else {
      open = { file, line: index + 1, text };
      comments.push(open);
    }
  }
  return comments;
}

function countWords(comments: readonly Comment[], pattern: RegExp): number {
  return comments.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);
}

/** Measures the comments below `folders`. */
function measure(folders: readonly string[]) {
  const files = folders.flatMap((folder) =>
    globSync(`${folder}/**/*.{ts,tsx,sql}`, { cwd: ROOT, exclude: ['**/node_modules', '**/out', '**/dist'] }),
  );
  const comments = files.flatMap(commentsOf);
  const thousands = countWords(comments, /[\w'’-]+/g) / 1000;
  const openings = comments.filter(({ text }) => /^\s*(?:What|Whether|Who|Where|How)\b/.test(text));
  return {
    comments: comments.length,
    thousands,
    what: countWords(comments, /\bwhat\b/gi) / thousands,
    actorless: countWords(comments, /\b(?:who|nobody|told)\b/gi) / thousands,
    openings,
  };
}

/** Prints the figures of the folders named, or of the whole tree, and fails if the tree exceeds a limit. */
function main(folders: readonly string[]): void {
  const { comments, thousands, what, actorless, openings } = measure(folders.length > 0 ? folders : FOLDERS);
  console.log(
    `${comments} comments, ${Math.round(thousands * 1000)} words; per 1,000: what ${what.toFixed(1)},`,
    `who/nobody/told ${actorless.toFixed(1)}; ${openings.length} begin with What, Whether, Who, Where or How`,
  );
  if (folders.length > 0) {
    for (const { file, line, text } of openings) console.log(`${file}:${line}: ${text.trim().slice(0, 90)}`);
    return;
  }
  if (what > LIMITS.what || actorless > LIMITS.actorless || openings.length > LIMITS.openings) {
    console.error('The comments exceed a limit. Name the noun: "the message that …" instead of "what …".');
    process.exitCode = 1;
  }
}

main(process.argv.slice(2));
