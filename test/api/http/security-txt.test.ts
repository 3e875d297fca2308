import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway } from '../../harness/fixtures.ts';
import { call } from '../../harness/tenant.ts';

const PATH = '/.well-known/security.txt';

describe('security.txt of a gateway with contacts', () => {
  const gateway = useGateway({
    publicUrl: 'https://messaging.example.com',
    settings: () => ({
      securityContact: {
        contacts: ['mailto:security@example.com', 'https://example.com/report'],
        expires: new Date('2027-11-01T00:00:00Z'),
      },
    }),
  });

  it('without a key: contacts in order, expiry, and the address of the file', async () => {
    const response = await fetch(`${gateway.baseUrl}${PATH}`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(
      await response.text(),
      'Contact: mailto:security@example.com\n' +
        'Contact: https://example.com/report\n' +
        'Expires: 2027-11-01T00:00:00.000Z\n' +
        'Canonical: https://messaging.example.com/.well-known/security.txt\n' +
        'Preferred-Languages: en\n',
    );
  });
});

describe('security.txt of a gateway without contacts', () => {
  const gateway = useGateway();

  it('404 as any unknown path', async () => {
    assertError(await call(gateway, undefined, 'GET', PATH), 404, 'NOT_FOUND', 100);
  });
});
