import type { ErrorCode } from '../../core/errors.ts';
import { ERROR_CATALOGUE, exampleError } from '../../http/index.ts';
import { codesOf, listOperations, type OpenApiDocument, tagPath } from '../openapi-document.ts';
import type { Page, Section } from '../page.ts';

/** The gateway's own codes in `error_code` of failed messages. */
const FAILURE_CODES = [
  {
    code: 'UNKNOWN_OUTCOME',
    meaning:
      'The connection to the platform was lost twice before its answer arrived. The message may have reached its recipient.',
    advice: 'Send it again only if a second copy does no harm.',
  },
  {
    code: 'EXPIRED',
    meaning: 'The message waited until its time to live or the longest time in the queue was over. It was not sent.',
    advice: 'Send a new message if it still matters. The timeline of the message shows the reason for its wait.',
  },
  {
    code: 'CANCELLED',
    meaning: 'The message was cancelled while it waited, or its business account was disconnected. It was not sent.',
    advice: 'Nothing, unless the message was cancelled by mistake: then send it again.',
  },
];

/** Returns the error catalogue as a page with one anchor for each code. */
export function errorPage(document: OpenApiDocument): Page {
  const answers = listAnswers(document);
  const codes = Object.entries(ERROR_CATALOGUE).map(([code, { status, graphCode, meaning, advice }]): Section => {
    const own = answers.filter((answer) => answer.code === code);
    const statuses = [...new Set([String(status), ...own.map((answer) => answer.status)])].toSorted();
    const links = own.map(({ operationId, tag }) => `[${operationId}](/docs/${tagPath(tag)}#${operationId})`);
    const example = exampleError(code as ErrorCode, meaning.replaceAll('`', ''));
    const markdown = [
      `HTTP ${statuses.join(', ')} · \`error.code\` ${graphCode}`,
      meaning,
      `**Next step.** ${advice}`,
      links.length > 0 && links.length <= 12 && `**Answered by** ${[...new Set(links)].join(', ')}.`,
      links.length > 12 && `**Answered by** ${new Set(links).size} operations.`,
      `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    ];
    return { id: code, title: code, markdown: markdown.filter(Boolean).join('\n\n') };
  });
  const failures = FAILURE_CODES.map(
    ({ code, meaning, advice }): Section => ({
      id: code,
      title: code,
      markdown: `\`error_code\` of a failed message\n\n${meaning}\n\n**Next step.** ${advice}`,
    }),
  );
  return {
    path: 'errors',
    title: 'Errors',
    summary: 'Every error code: its meaning, its HTTP status and the next step.',
    group: 'Guides',
    intro:
      'Every error has the same body. `code` is for programs, `message` for people, and `doc_url` leads to the entry of its code on this ' +
      "page. `error` is the same error in the Graph API's shape. If the platform refused the call, `provider_error` has its own words and " +
      '`error.code` its number. Give `request_id` to the operator if you need help.\n\n' +
      'A message that fails after its 202 has no HTTP error: `error_code` of the message is the code of the platform, or one of ' +
      `${FAILURE_CODES.map(({ code }) => `[${code}](#${code})`).join(', ')}.`,
    sections: [...codes, ...failures],
  };
}

/** Returns every error that an operation may answer. */
function listAnswers(document: OpenApiDocument) {
  return listOperations(document).flatMap(({ operationId, tags, responses }) =>
    Object.entries(responses).flatMap(([status, response]) =>
      codesOf(response).map((code) => ({
        code,
        status,
        operationId,
        tag: tags[0] ?? '',
      })),
    ),
  );
}
