import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface IssuedCertificate {
  /** PEM. Self-signed, so it is its own authority. */
  cert: string;
  key: string;
}

const OID = {
  commonName: '0603550403',
  subjectAltName: '0603551d11',
  ecdsaWithSha256: '06082a8648ce3d040302',
};

/** Issues a self-signed P-256 certificate for host names; valid from a year ago until `notAfter`. */
export function issueCertificate(
  hostNames: readonly string[],
  notAfter: Date = new Date(Date.now() + 86_400_000),
): IssuedCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(Buffer.from(OID.ecdsaWithSha256, 'hex'));
  const body = toBeSigned({ hostNames, notAfter, algorithm, publicKey });
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  return {
    cert: toPem('CERTIFICATE', sequence(body, algorithm, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function toBeSigned(facts: {
  hostNames: readonly string[];
  notAfter: Date;
  algorithm: Buffer;
  publicKey: KeyObject;
}): Buffer {
  const commonName = sequence(Buffer.from(OID.commonName, 'hex'), der(0x0c, Buffer.from('Fairway test')));
  const name = sequence(der(0x31, commonName));
  const version3 = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.from([1]));
  const validity = sequence(utcTime(new Date(Date.now() - 365 * 86_400_000)), utcTime(facts.notAfter));
  const names = sequence(...facts.hostNames.map((hostName) => der(0x82, Buffer.from(hostName))));
  const altName = sequence(Buffer.from(OID.subjectAltName, 'hex'), der(0x04, names));
  const publicKey = facts.publicKey.export({ type: 'spki', format: 'der' });
  return sequence(version3, serial, facts.algorithm, name, validity, name, publicKey, der(0xa3, sequence(altName)));
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const contents = Buffer.concat(parts);
  const { length } = contents;
  const lengthBytes = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), contents]);
}

function utcTime(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function toPem(label: string, contents: Buffer): string {
  const lines = contents.toString('base64').replace(/(.{64})/g, '$1\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
