import type { FastifyReply } from 'fastify';

/** Answers with JSON that is text already, as it is. */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(text);
}
