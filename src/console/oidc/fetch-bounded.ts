import type { CustomFetch } from 'openid-client';

/** Most bytes of one answer of the identity provider. Documents, keys and tokens have some kilobytes. */
const ANSWER_BYTES_MAX = 1024 * 1024;

/** Fetches like `fetch`, but an answer beyond 1 MB fails. Without this, one answer could fill the memory. */
export const fetchBounded: CustomFetch = async (url, options) => {
  const response = await fetch(url, options as RequestInit);
  if (response.body === null) return response;
  let left = ANSWER_BYTES_MAX;
  const bound = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      left -= chunk.length;
      if (left < 0) controller.error(new RangeError('the answer is too large'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(bound), response);
};
