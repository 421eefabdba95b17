import { isIPv6 } from 'node:net';

/**
 * What a client address is counted by: an IPv4 address itself, of an IPv6 address its first 64 bits, because whoever has
 * one address has the whole network (RFC 6177). Text that is neither stands for itself.
 */
export function clientNetwork(address: string): string {
  const [plain = ''] = address.split('%', 1);
  if (!isIPv6(plain)) return address;
  // The URL parser writes one form of each address (RFC 5952), in hexadecimal throughout.
  const [head = '', tail] = new URL(`http://[${plain}]/`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  const mapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return mapped ? groups.slice(6).flatMap(octets).join('.') : `${groups.slice(0, 4).join(':')}::/64`;
}

const octets = (group: string) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255];
