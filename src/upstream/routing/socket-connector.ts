import { buildConnector } from 'undici';

const CONNECT_MS_MAX = 5_000;

/**
 * Returns a connector that opens every connection on the Unix socket, wherever the request would lead. `findPath` is called for each
 * connection and resolves to the path of the socket.
 */
export function socketConnector(findPath: () => Promise<string>): buildConnector.connector {
  return (options, callback) => {
    findPath().then(
      (socketPath) => {
        const connect = buildConnector({ socketPath, timeout: CONNECT_MS_MAX });
        connect({ ...options, protocol: 'http:' }, callback);
      },
      (error: Error) => callback(error, null),
    );
  };
}
