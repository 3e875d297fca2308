import { type Gateway, GatewayError } from '../../../mcp/index.ts';
import type { Api } from '../../api/api.ts';
import { CliError } from '../../cli-error.ts';

/** Returns the API with the errors that the MCP server expects. */
export function gatewayOf(api: Api, url: string): Gateway {
  return {
    url,
    get: (path, query) => translated(api.get(path, query)),
    getText: (path) => translated(api.open('GET', path).then((answer) => answer.text())),
    post: (path, body, idempotencyKey) => translated(api.post(path, body, { idempotencyKey })),
  };
}

async function translated<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new GatewayError(error.message, error.facts ?? {}, { cause: error });
  }
}
