/** IPv4 addresses that must stay blocked, one or more per special-purpose range. */
const CLOSED_IPV4 = [
  '0.0.0.0',
  '10.0.0.1',
  '10.255.255.254',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.254',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
];

/** IPv6 addresses that must stay blocked, without those that embed an IPv4 address. */
const CLOSED_IPV6 = [
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fd12:3456:789a::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
];

/** Every blocked address in its canonical text form, as in a DNS answer. */
export const CLOSED_ADDRESSES: readonly string[] = [...CLOSED_IPV4, ...CLOSED_IPV6, ...CLOSED_IPV4.flatMap(embed)];

/** Host parts of URLs whose spelling leads to a blocked address. */
export const CLOSED_LITERAL_HOSTS: readonly string[] = [
  ...CLOSED_IPV4.flatMap(spellIpv4),
  ...[...CLOSED_IPV6, ...CLOSED_IPV4.flatMap(embed)].map((address) => `[${address}]`),
];

/** Spellings of 127.0.0.1 that a client without a guard connects to. */
export const LOOPBACK_HOSTS: readonly string[] = [...spellIpv4('127.0.0.1'), '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'];

/** Names that lead into the machine or its network, whatever they resolve to. */
export const PRIVATE_NAMES: readonly string[] = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ｌｏｃａｌｈｏｓｔ',
  'api.localhost',
  'localhost.localdomain',
  'printer.local',
  'metadata',
  'metadata.google.internal',
  'metadata.google.internal.',
  'instance-data.ec2.internal',
  'db.internal',
  'router.lan',
  'intranet',
  'wiki.corp',
  'box.home',
  'nas.home.arpa',
  '1.0.0.127.in-addr.arpa',
  'public.test.',
];

function spellIpv4(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const octets = [a, b, c, d];
  return [
    address,
    `${address}.`,
    `${number}`,
    `0x${number.toString(16)}`,
    `0X${number.toString(16).toUpperCase()}`,
    `0${number.toString(8)}`,
    octets.map((octet) => `0x${octet.toString(16)}`).join('.'),
    octets.map((octet) => `0${octet.toString(8)}`).join('.'),
    `${a}.0x${b.toString(16)}.0${c.toString(8)}.${d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    shiftDigits(address, 0xff10),
    circleDigits(address),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '%2e'),
    [...address].map((char) => `%${char.charCodeAt(0).toString(16)}`).join(''),
  ];
}

function embed(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const high = (a * 256 + b).toString(16);
  const low = (c * 256 + d).toString(16);
  return [
    `::ffff:${address}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:ffff:${high}:${low}`,
    `::${address}`,
    `::ffff:0:${high}:${low}`,
    `64:ff9b::${address}`,
    `64:ff9b:1::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2001:0:${high}:${low}::`,
  ];
}

function shiftDigits(text: string, zero: number): string {
  return text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}

function circleDigits(text: string): string {
  return text.replace(/\d/g, (digit) => (digit === '0' ? '⓪' : String.fromCodePoint(0x245f + Number(digit))));
}
