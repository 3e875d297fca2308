import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Fastify from 'fastify';
import { guardRoutes } from './guard-routes.ts';

describe('guarded routes', () => {
  it('a route without a row → cannot be registered', () => {
    const app = Fastify();
    guardRoutes(app, [], () => ({}));
    assert.throws(() => app.get('/open', () => 'open'), /no row for GET \/open/);
  });

  it('hooks of a row: before the hooks of the route, once for GET and for HEAD', async () => {
    const app = Fastify();
    const calls: string[] = [];
    guardRoutes(app, [{ name: 'GET /x', caller: 'operator', module: 'http', needs: 'support' }], () => ({
      onRequest: [
        (request, _reply, done) => {
          calls.push(`row ${request.method}`);
          done();
        },
      ],
    }));
    app.get(
      '/x',
      {
        onRequest: (request, _reply, done) => {
          calls.push(`route ${request.method}`);
          done();
        },
      },
      () => 'x',
    );
    for (const method of ['GET', 'HEAD'] as const)
      assert.equal((await app.inject({ method, url: '/x' })).statusCode, 200);
    assert.deepEqual(calls, ['row GET', 'route GET', 'row HEAD', 'route HEAD']);
  });
});
